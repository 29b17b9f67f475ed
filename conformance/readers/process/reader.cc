// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "parser/core/quote.h"

namespace gguf::readers {

namespace fs = std::filesystem;

namespace {

// Quotes a word for a POSIX shell, unless it is plain.
std::string ShellWord(absl::string_view word) {
  constexpr absl::string_view kPlain = "_-+=:,./@%{}";
  const bool plain = std::all_of(word.begin(), word.end(), [&](char c) {
    return absl::ascii_isalnum(c) || kPlain.find(c) != absl::string_view::npos;
  });
  if (plain && !word.empty()) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Whether a path is that of a system's program, which others have, too.
bool IsOfSystem(const fs::path& path) {
  const std::string text = path.string();
  return absl::StartsWith(text, "/usr/") || absl::StartsWith(text, "/bin/");
}

}  // namespace

bool Reader::bare() const {
  return std::any_of(command.begin(), command.end(),
                     [](const std::string& word) {
                       return absl::StrContains(word, kPathMark);
                     });
}

const std::vector<std::string>& SanitizerKinds() {
  static const auto& kinds = *new std::vector<std::string>{
      "none", "asan", "ubsan", "asan+ubsan", "msan", "tsan"};
  return kinds;
}

absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;  // The open one.
  const auto word = [&]() -> std::string& {
    if (!in_word) words.emplace_back();
    in_word = true;
    return words.back();
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word() += line[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      word();  // Also for empty quotes.
      quote = c;
    } else if (quote == 0 && absl::ascii_isspace(c)) {
      in_word = false;
    } else {
      word() += c;
    }
  }
  if (quote != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("unclosed quote in the "
                     "command ",
                     Quote(line)));
  }
  if (words.empty()) return absl::InvalidArgumentError("the command is empty");
  return words;
}

std::string ShellLine(const std::vector<std::string>& command) {
  return absl::StrJoin(command, " ",
                       [](std::string* out, const std::string& word) {
                         out->append(ShellWord(word));
                       });
}

std::string PortablePath(const std::string& path) {
  const fs::path absolute = fs::path(path).lexically_normal();
  if (!absolute.is_absolute()) return path;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const std::string inside = absolute.lexically_relative(here).string();
  if (!error && inside == ".") return inside;
  if (!error && inside[0] != '.') return "./" + inside;
  if (IsOfSystem(absolute)) return path;
  return "/path/to/" + absolute.filename().string();
}

std::vector<std::string> PortableCommand(const Reader& reader) {
  std::vector<std::string> command;
  for (const std::string& word : reader.command) {
    command.push_back(PortablePath(word));
  }
  return command;
}

absl::StatusOr<std::vector<int>> ParseExitCodes(absl::string_view text) {
  std::vector<int> codes;
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    int code;
    if (!absl::SimpleAtoi(word, &code) || code < 0 || code > 255) {
      return absl::InvalidArgumentError(
          absl::StrCat("invalid exit codes ", Quote(text),
                       ": expected numbers from 0 to 255, such as 1,2"));
    }
    codes.push_back(code);
  }
  return codes;
}

}  // namespace gguf::readers
