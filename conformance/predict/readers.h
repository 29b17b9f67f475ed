// Predicts which readers will accept a file, from the findings in it.
//
// The tables readers.tsv and reader_effects.tsv describe the readers, from
// running them or reading their sources.  No reader is run here.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_PREDICT_READERS_H_
#define GGUF_CONFORMANCE_PREDICT_READERS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/engine/file_report.h"
#include "conformance/tables/reader_effects.h"
#include "conformance/tables/readers.h"

namespace gguf {

// Predicts what each reader will do with the file, in the order of readers.tsv.
// The report must come from a check with ValidateOptions::off_rules.
std::vector<ReaderVerdict> JudgeReaders(const FileReport& file);

// Returns the row of this name, or null.
const Reader* FindReader(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_PREDICT_READERS_H_
