// Predicts which readers will accept a file, from the findings in it.  The tables
// readers.tsv and reader_effects.tsv describe the readers, from running them or
// reading their sources.  No reader is run here.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_READERS_H_
#define GGUF_CONFORMANCE_RULES_READERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/rules/file_report.h"
#include "conformance/tables/build.h"
#include "conformance/tables/reader_effects.h"
#include "conformance/tables/readers.h"

namespace gguf {

// Arguments of a finding and facts about a file, by name.  If two have the same
// name, the first counts.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Returns whether the text named `of` meets the condition; false if it is
// missing.  Numbers of more than 64 bits are ignored.
bool Holds(absl::string_view of, Condition is, absl::string_view value, const NamedTexts& texts);

// Returns whether the readers include this one, or one that it is like.
bool IsAbout(EnumSet<ReaderId> readers, const Reader& reader);

// Predicts what each reader will do with the file, in the order of readers.tsv.
// The report must come from a check with CheckOptions::readers.
//
// `build` is a version of llama.cpp (build.h), or kNoBuild for that of
// readers.tsv.  An older build rejects what it does not know yet, and otherwise
// does what the newest does.
std::vector<ReaderVerdict> JudgeReaders(const FileReport& file, int32_t build = kNoBuild);

// Gives the first of these reports, those of the shards of one model, the verdicts of readers that
// load the whole model: of what stops a reader, what it meets first; otherwise the worst.
void JudgeSet(std::vector<FileReport>* reports);

// Returns the row of this name, or null.
const Reader* FindReader(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_READERS_H_
