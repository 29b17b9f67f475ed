// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/words.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

struct OutcomeWords {
  const char* outcome;
  const char* did;
};
constexpr OutcomeWords kUnsafe[] = {
    {"memory-error", "It touched memory that is not its own"},
    {"ub", "It did something undefined"},
    {"crash", "It crashed"},
    {"abort", "It aborted"},
    {"oom", "It needed more memory than allowed"},
    {"hang", "It gave no verdict in time"},
    {"flood", "It wrote more output than allowed"},
    {"protocol", "It violated the protocol"},
    {"unstable", "It did not do the same again"},
};

struct VerdictWords {
  const char* expected;
  const char* should;
};
constexpr VerdictWords kVerdictWords[] = {
    {"accept", "It should have accepted the file."},
    {"reject", "It should have rejected the file."},
    {"accept or reject", "It should have accepted or rejected the file."},
};

// Returns what a reader did that gave no verdict, or none that counts.
std::string UnsafeWords(const CaseRecord& record) {
  absl::string_view code = record.outcome;
  std::string did = absl::StrCat("It gave no verdict: ", record.outcome);
  if (absl::ConsumePrefix(&code, "exit:")) {
    return absl::StrCat("It exited with code ", code, " without a verdict.");
  }
  for (const OutcomeWords& words : kUnsafe) {
    if (record.outcome == words.outcome) did = words.did;
  }
  if (!record.difference || record.difference->observed.empty()) {
    return did + ".";
  }
  return absl::StrCat(did, ": ", record.difference->observed, ".");
}

bool Misread(const CaseRecord& record) {
  return record.outcome == "accept" && record.difference &&
         record.difference->path != "verdict";
}

}  // namespace

std::string WhatItDid(const CaseRecord& record) {
  if (record.levels[0] == LevelState::kFail) return UnsafeWords(record);
  if (Misread(record)) {
    return absl::StrCat("It read ", record.difference->path, " as ",
                        record.difference->observed, ".");
  }
  if (record.outcome == "accept") return "It accepted the file.";
  const bool skips = record.outcome == "skip";
  std::string did = skips ? "It skipped the file" : "It rejected the file";
  if (!record.rejection || record.rejection->text.empty()) return did + ".";
  return absl::StrCat(did, ": ", record.rejection->text, ".");
}

std::string WhatItShould(const CaseRecord& record) {
  if (!record.difference) return "";
  const std::string& expected = record.difference->expected;
  if (record.levels[0] != LevelState::kFail && Misread(record)) {
    return absl::StrCat("The file has ", expected, ".");
  }
  for (const VerdictWords& words : kVerdictWords) {
    if (expected == words.expected) return words.should;
  }
  return "";  // A log of 0.1.0: "a verdict".
}

std::string Counted(size_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace gguf::readers
