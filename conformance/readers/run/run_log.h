// The log of one reader's run over the corpus: one JSON object per line.
//
// The first line is the header, followed by one line for each case.  The last
// line, the footer, states whether the run is complete.  A log without a footer
// is truncated.
// conformance/report/schemas/run.schema.json describes the lines.
//
// Texts in a log are untrusted, such as names and the output of readers.  They
// are stored unchanged, except that bytes that are not UTF-8 become U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/level.h"

namespace gguf::readers {

inline constexpr char kRunSchema[] = "ggufcheck/run/1";

// Limits for writers of logs, in bytes.
inline constexpr size_t kMostStderr = 4096;  // The end is kept.
inline constexpr size_t kMostHex = 1024;     // Bytes of the file, before hex.

struct Tool {
  std::string name;
  std::string version;
};

struct ReaderInfo {
  std::string name;
  std::string version;  // As reported by the reader.
  std::vector<std::string> command;
  std::vector<std::string> caps;    // "kv", "tensors", ...
  std::vector<std::string> quirks;  // "untyped", ...
  std::string mode = "protocol";    // Or "bare".
  std::string sanitizer = "none";   // "asan", "asan+ubsan", ...
};

struct CorpusInfo {
  uint64_t cases = 0;   // Selected, in all shards.
  std::string sha256;   // Of the manifest.
  std::string version;  // Of the suite.
};

struct ShardInfo {
  uint64_t index = 0;  // From 0.
  uint64_t count = 1;
};

// The first line.
struct RunHeader {
  std::string schema = kRunSchema;
  Tool tool;
  std::string date;  // Start: "2026-11-21T20:00:00Z".
  ReaderInfo reader;
  CorpusInfo corpus;
  std::string level = "may";  // Of requirement: "must", "should" or "may".
  std::vector<std::string> selectors;
  ShardInfo shard;
};

// The class and text of a rejection.
struct Rejection {
  std::string type;  // "class" in the log.
  std::string text;
};

// A byte range of the file that violates a rule.
struct Mark {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string rule;
};

// The line of a case.
struct CaseRecord {
  std::string id;  // "tensors/invalid-offset-not-aligned".
  std::string section;
  std::string title;
  std::string verdict = "valid";     // Or "invalid", "either".
  std::string level = "must";        // Or "should", "may".
  std::string importance = "major";  // Or "critical", "minor".
  std::vector<std::string> flags;

  // "accept", "reject", "skip", "memory-error", "ub", "crash", "abort", "oom",
  // "hang", "flood", "exit:N", "protocol" or "unstable".
  std::string outcome = "accept";
  CaseResult result = CaseResult::kPass;
  std::array<LevelState, kLevels> levels = {};
  std::optional<Difference> difference;
  std::optional<Rejection> rejection;
  std::string stderr_tail;  // At most kMostStderr.
  double seconds = 0;
  uint64_t peak_kib = 0;
  std::string expected;              // Expected behaviour, in words.
  std::optional<std::string> known;  // Reason of a known failure.

  // Only for a case that did not pass: the case's text, bytes of the file
  // around the first mark, the marks, the size of the file and a shell command
  // that reproduces the result.
  std::string text;
  std::string hex;  // Lower case, at most 2 * kMostHex digits.
  uint64_t hex_offset = 0;
  std::vector<Mark> marks;
  uint64_t size = 0;
  std::string repro;
};

// The last line.
struct RunFooter {
  bool complete = true;
  uint64_t cases = 0;  // Number of cases run.
  double seconds = 0;
  std::string why;  // Why it is incomplete.
};

struct RunLog {
  RunHeader header;
  std::vector<CaseRecord> cases;
  std::optional<RunFooter> footer;  // Missing if truncated.
};

// Return lines with their newline.
std::string ToLine(const RunHeader& header);
std::string ToLine(const CaseRecord& record);
std::string ToLine(const RunFooter& footer);

// Parses a whole log.  Ignores a last line without newline that is not JSON:
// the run ended while it was written.  Ignores unknown members. InvalidArgument
// names the line and states what is wrong.
absl::StatusOr<RunLog> ReadRunLog(absl::string_view text);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUN_LOG_H_
