// Reads what programs write when they die, line by line.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/failure.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

// Functions and modules of runtimes, which tell nothing about the reader.
constexpr absl::string_view kRuntimePrefixes[] = {
    "__asan",    "__interceptor", "__ubsan",      "__sanitizer",  "__msan",    "__lsan",
    "__GI_",     "__libc",        "__pthread",    "operator new", "std::",     "runtime.",
    "panic",     "libasan",       "libubsan",     "libc.so",      "libstdc++", "node:",
    "DataView.", "Buffer.",       "new DataView", "new Uint",     "new Float", "new BigInt",
    "new Int",   "Array.",        "__restore_rt"};
constexpr absl::string_view kRuntimeNames[] = {
    "abort",  "raise",  "malloc",  "calloc",        "realloc",
    "free",   "memcpy", "memmove", "memset",        "strlen",
    "strcmp", "strcpy", "memcmp",  "__assert_fail", "__assert_fail_base"};

bool IsRuntime(absl::string_view frame) {
  return absl::c_linear_search(kRuntimeNames, frame) ||
         absl::c_any_of(kRuntimePrefixes,
                        [&](absl::string_view prefix) { return absl::StartsWith(frame, prefix); });
}

absl::string_view Before(absl::string_view text, absl::string_view mark) {
  return text.substr(0, text.find(mark));
}

absl::string_view BaseName(absl::string_view path) { return path.substr(path.rfind('/') + 1); }

// If the line contains the mark, moves the line behind it.
bool ConsumeThrough(absl::string_view* line, absl::string_view mark) {
  const size_t at = line->find(mark);
  if (at == absl::string_view::npos) return false;
  line->remove_prefix(at + mark.size());
  return true;
}

// Reads "f(int) /src/a.c:1:2", "f (/lib/a.so+0x1)" or " (/lib/a.so+0x1)".
std::string SanitizerFrame(absl::string_view text) {
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "(")) {
    ConsumeThrough(&text, "(");
    return std::string(BaseName(Before(text, ")")));
  }
  const std::string plain = absl::StrReplaceAll(text, {{"(anonymous namespace)::", ""}});
  // Arguments and the place follow the name.
  const absl::string_view name = Before(Before(Before(plain, " (/"), " /"), "(");
  const bool has_place = name.size() == plain.size();
  return std::string(has_place ? name.substr(0, name.rfind(' ')) : name);
}

// Parses the text line by line.
class Parser {
 public:
  void Add(absl::string_view line);
  Failure Take();

 private:
  // Each reads a line of one kind of report, and returns whether it was one.
  bool Sanitizer(absl::string_view line);
  bool Python(absl::string_view line);
  bool Calls(absl::string_view line);  // Java, JavaScript.
  bool Go(absl::string_view line);
  bool Others(absl::string_view line);

  void Begin(absl::string_view what, absl::string_view message, bool uncaught);
  void AddFrame(std::string frame);

  Failure failure_;
  std::vector<std::string> frames_;  // Of a report, innermost first.
  // What the next lines belong to.
  bool in_traceback_ = false;
  bool in_goroutine_ = false;
  bool in_stack_ = false;  // Of a sanitizer; only the first counts.
  bool wants_message_ = false;
  std::string last_;  // The last line that was not empty.
};

void Parser::Begin(absl::string_view what, absl::string_view message, bool uncaught) {
  failure_ = {std::string(what), std::string(message), {}, uncaught};
  frames_.clear();
  in_stack_ = in_goroutine_ = wants_message_ = false;
}

void Parser::AddFrame(std::string frame) {
  constexpr size_t kKept = 1000;
  if (frame.empty() || IsRuntime(frame) || frames_.size() >= kKept) return;
  frames_.push_back(std::move(frame));
}

bool Parser::Sanitizer(absl::string_view line) {
  absl::string_view rest = line;
  if (absl::StrContains(line, "ERROR: ") && ConsumeThrough(&rest, "Sanitizer: ")) {
    // What aborted the program says more.
    const absl::string_view what = Before(rest, " ");
    if (what != "ABRT" || failure_.what.empty()) Begin(what, "", false);
    frames_.clear();
    return true;
  }
  if (ConsumeThrough(&rest, ": runtime error: ")) {
    Begin(absl::StrCat("runtime error: ", Normalized(rest)), "", false);
    return true;
  }
  rest = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&rest, "#")) return false;
  const bool is_first = absl::ConsumePrefix(&rest, "0 ");
  if (is_first && frames_.empty())
    in_stack_ = true;
  else if (is_first)
    in_stack_ = false;  // Where the memory was allocated.
  if (!in_stack_) return true;
  if (!ConsumeThrough(&rest, " in ")) ConsumeThrough(&rest, "0x");
  const size_t space = rest.find(' ');
  if (!absl::StrContains(line, " in ") && space != absl::string_view::npos)
    rest.remove_prefix(space);
  AddFrame(SanitizerFrame(rest));
  return true;
}

bool Parser::Python(absl::string_view line) {
  if (absl::StartsWith(line, "Traceback (most recent call last)")) {
    Begin("", "", true);
    return in_traceback_ = true;
  }
  if (absl::ConsumePrefix(&line, "Fatal Python error: ")) {
    Begin(Before(line, ":"), "", false);
    return true;
  }
  absl::string_view rest = line;
  if (absl::ConsumePrefix(&rest, "  File \"") && ConsumeThrough(&rest, ", line ")) {
    // faulthandler names the innermost function first, a traceback last.
    if (ConsumeThrough(&rest, in_traceback_ ? ", in " : " in ")) {
      if (in_traceback_ && frames_.size() >= 1000) frames_.pop_back();
      frames_.insert(in_traceback_ ? frames_.begin() : frames_.end(), std::string(rest));
    }
    return true;
  }
  if (!in_traceback_ || line.empty() || line[0] == ' ') return in_traceback_;
  in_traceback_ = false;
  failure_.what = std::string(Before(line, ":"));
  failure_.message = std::string(ConsumeThrough(&line, ": ") ? line : "");
  return true;
}

bool Parser::Calls(absl::string_view line) {
  absl::string_view rest = line;
  if (ConsumeThrough(&rest, "Exception in thread ") && ConsumeThrough(&rest, "\" ")) {
    const absl::string_view what = Before(rest, ":");
    Begin(what, ConsumeThrough(&rest, ": ") ? rest : "", true);
    return true;
  }
  rest = absl::StripLeadingAsciiWhitespace(line);
  if (rest.size() == line.size() || !absl::ConsumePrefix(&rest, "at ")) return false;
  const absl::string_view head = Before(last_, ":");
  const bool names_error = absl::EndsWith(head, "Error") || absl::EndsWith(head, "Exception");
  if (names_error && !absl::StartsWith(last_, "Exception in thread")) {
    absl::string_view message = last_;
    const bool has_message = ConsumeThrough(&message, ": ");
    Begin(head, has_message ? message : "", true);
  }
  absl::ConsumePrefix(&rest, "async ");
  const absl::string_view name = Before(rest, " (");
  if (absl::StrContains(rest, "node:internal")) return true;
  // Without a name, the place.
  AddFrame(
      std::string(name.size() < rest.size() ? Before(name, "(") : Before(BaseName(name), "(")));
  return true;
}

bool Parser::Go(absl::string_view line) {
  absl::string_view rest = line;
  if (absl::ConsumePrefix(&rest, "panic: ") || absl::ConsumePrefix(&rest, "fatal error: ")) {
    // Another panic while one is handled says less.
    if (failure_.what != "panic") Begin("panic", rest, true);
    return true;
  }
  if (absl::StartsWith(line, "goroutine ")) {
    in_goroutine_ = frames_.empty();
    return true;
  }
  if (!in_goroutine_) return false;
  if (line.empty()) return in_goroutine_ = false, true;
  if (line[0] != '\t' && absl::StrContains(line, "(")) {
    AddFrame(std::string(line.substr(0, line.rfind('('))));
  }
  return true;
}

bool Parser::Others(absl::string_view line) {
  absl::string_view rest = line;
  if (wants_message_ && !line.empty()) {
    failure_.message = std::string(line);
    wants_message_ = false;
    return true;
  }
  if (absl::StartsWith(line, "thread '") && ConsumeThrough(&rest, "panicked at ")) {
    Begin("panic", "", true);
    // "src/main.rs:10:5:"; the column and the colon are not kept.
    const std::vector<absl::string_view> parts = absl::StrSplit(rest, ':');
    if (parts.size() > 1) AddFrame(absl::StrCat(parts[0], ":", parts[1]));
    return wants_message_ = true;
  }
  if (ConsumeThrough(&rest, "terminate called after throwing an instance of '")) {
    Begin(Before(rest, "'"), "", false);
    return true;
  }
  if (ConsumeThrough(&rest, "  what():  ")) {
    failure_.message = std::string(rest);
    return true;
  }
  if (absl::EndsWith(line, "' failed.") && ConsumeThrough(&rest, ": Assertion `")) {
    // "toy: toy.c:12: read_key: Assertion `n > 0' failed."
    Begin("assertion", rest, false);
    const std::vector<absl::string_view> parts = absl::StrSplit(Before(line, ": Assertion"), ": ");
    AddFrame(std::string(Before(parts.back(), "(")));
    return true;
  }
  return false;
}

void Parser::Add(absl::string_view line) {
  absl::ConsumeSuffix(&line, "\r");
  Python(line) || Go(line) || Sanitizer(line) || Calls(line) || Others(line);
  if (!line.empty()) last_ = std::string(line);
}

Failure Parser::Take() {
  // Where a recursion happens to end depends on the size of the stack.
  const bool is_recursion = absl::StrContains(failure_.what, "stack-overflow") ||
                            absl::StrContains(failure_.message, "stack overflow") ||
                            absl::StrContains(failure_.message, "call stack size") ||
                            failure_.what == "RecursionError";
  constexpr size_t kCycle = 16;
  if (is_recursion) {
    frames_.resize(std::min(frames_.size(), kCycle));
    absl::c_sort(frames_);
  }
  for (std::string& frame : frames_) {
    if (failure_.frames.size() == kMostFrames) break;
    constexpr size_t kLongest = 200;
    frame.resize(std::min(frame.size(), kLongest));
    if (!absl::c_linear_search(failure_.frames, frame)) {
      failure_.frames.push_back(std::move(frame));
    }
  }
  return std::move(failure_);
}

}  // namespace

Failure FailureOf(absl::string_view text) {
  Parser parser;
  constexpr size_t kLongestLine = 1000;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    parser.Add(line.substr(0, kLongestLine));
  }
  return parser.Take();
}

std::string Normalized(absl::string_view message) {
  constexpr size_t kMost = 160;
  std::string text;
  const auto add = [&](char c) {
    // Runs of placeholders, as of escaped bytes, become one.
    if ((c == '#' || c == ' ') && !text.empty() && text.back() == c) return;
    text += c;
  };
  for (size_t i = 0; i < message.size() && text.size() < kMost; ++i) {
    const char c = message[i];
    const bool in_word = !text.empty() && absl::ascii_isalpha(text.back());
    if ((c == '"' || c == '`' || (c == '\'' && !in_word))) {
      const size_t end = message.find(c == '`' ? '\'' : c, i + 1);
      if (end != absl::string_view::npos) {
        add('#');
        i = end;
        continue;
      }
    }
    if (absl::ascii_isdigit(c)) {
      while (i + 1 < message.size() && absl::ascii_isalnum(message[i + 1])) ++i;
      add('#');
    } else {
      add(absl::ascii_isprint(c) ? c : '#');
    }
  }
  return text;
}

}  // namespace gguf::readers
