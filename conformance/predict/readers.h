// Which programs will take a file, foretold from what was found in it.
//
// What they do is known from running them, or from their sources (readers.tsv,
// reader_effects.tsv); nothing is run here.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_PREDICT_READERS_H_
#define GGUF_CONFORMANCE_PREDICT_READERS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/reader_verdict.h"
#include "conformance/tables/reader_effects.h"
#include "conformance/tables/readers.h"

namespace gguf {

// What each reader will do with the file, in the order of readers.tsv.  The
// report is one of a check with ValidateOptions::off_rules.
std::vector<ReaderVerdict> JudgeReaders(const FileReport& file);

// The row of this name, or null.
const Reader* FindReader(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_PREDICT_READERS_H_
