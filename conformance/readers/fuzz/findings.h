// FuzzReport: what a fuzzing run found, as it is kept and shown.
//
// conformance/report/schemas/fuzz.schema.json describes the JSON.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_FUZZ_FINDINGS_H_
#define GGUF_CONFORMANCE_READERS_FUZZ_FINDINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/text_style.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

inline constexpr char kFuzzSchema[] = "ggufcheck/fuzz/1";
inline constexpr absl::string_view kFuzzSchemas[] = {kFuzzSchema};
inline constexpr absl::string_view kValidity[] = {"valid", "invalid"};

// Failures that have one cause, as far as can be seen.
struct FuzzGroup {
  std::string kind;                 // "crash", "hang", "exception", "false-accept", ...
  std::string message;              // Of the reduced file; any text.
  std::vector<std::string> frames;  // Innermost first.
  uint64_t count = 0;               // Mutants.
  uint64_t size = 0;                // Of the reduced file, in bytes.
  std::string file;                 // Below the folder of the findings; empty without one.
  std::string text;                 // In the case language; "case" in JSON.
  std::string hex;                  // Of the reduced file, at most kMostFuzzHex bytes.
  // Whether a profile of ours reports an error, which do, and the rules.
  std::string verdict = "valid";
  std::vector<std::string> rejected_by;
  std::vector<std::string> rules;
  bool reduced = false;   // Whether the file was reduced as far as it goes.
  double seconds = 0;     // Since the start, when it was found.
  std::string output;     // The end of standard error, at most 4 KiB.
  std::string reproduce;  // A shell command.
  std::string signature;  // What makes it a group.
};

inline constexpr size_t kMostFuzzHex = 16 << 10;

template <class Visitor>
void VisitMembers(Visitor& visit, FuzzGroup& group) {
  visit("kind", group.kind);
  visit("message", group.message);
  visit("frames", group.frames);
  visit("count", group.count);
  visit("size", group.size);
  visit("file", group.file);
  visit("case", group.text);
  visit("hex", group.hex);
  visit("verdict", group.verdict, kValidity);
  visit("rejected_by", group.rejected_by);
  visit("rules", group.rules);
  visit("reduced", group.reduced);
  visit("seconds", group.seconds);
  visit("stderr", group.output);
  visit("reproduce", group.reproduce);
  visit("signature", group.signature);
}

struct FuzzReport {
  std::string schema = kFuzzSchema;
  Tool tool;
  std::string date;  // Of the last run.
  ReaderInfo reader;
  uint64_t executions = 0;        // Of all runs.
  uint64_t features = 0;          // Distinct outcomes of the last run, by rule.
  double seconds = 0;             // Of all runs.
  std::string incomplete;         // Why the last run ended early; empty if it did not.
  std::vector<FuzzGroup> groups;  // Worst first.
};

template <class Visitor>
void VisitMembers(Visitor& visit, FuzzReport& report) {
  visit("schema", report.schema, kFuzzSchemas);
  visit("tool", report.tool);
  visit("date", report.date);
  visit("reader", report.reader);
  visit("executions", report.executions);
  visit("features", report.features);
  visit("seconds", report.seconds);
  visit("incomplete", report.incomplete);
  visit("groups", report.groups);
}

// The kinds of groups, worst first, with their meaning in a sentence.
struct FuzzKind {
  const char* name;
  const char* meaning;
};
absl::Span<const FuzzKind> FuzzKinds();

// Sorts groups: worst kinds first, and of these, valid files first.
void SortGroups(std::vector<FuzzGroup>* groups);

// Returns "crashes on a file that safety rejects by array-length-fits".
std::string VerdictWords(const FuzzGroup& group);

// Parses the JSON report.  InvalidArgument states what is wrong.
absl::StatusOr<FuzzReport> ReadFuzzReport(absl::string_view json);

// Write the report.  Text of the reader or of files is escaped.
std::string FuzzText(const FuzzReport& report, const TextStyle& style);
std::string FuzzJson(const FuzzReport& report);
std::string FuzzJunit(const FuzzReport& report);
std::string FuzzSarif(const FuzzReport& report);
std::string FuzzHtml(const FuzzReport& report);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_FUZZ_FINDINGS_H_
