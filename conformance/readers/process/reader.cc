// Reads readers.toml; splits and joins commands.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {
namespace {

namespace fs = std::filesystem;

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

constexpr uint64_t kMostMebibytes = uint64_t{1} << 30;

// Expands ${NAME} and ${NAME:-text}.
absl::StatusOr<std::string> Expand(absl::string_view text) {
  std::string expanded;
  for (;;) {
    const size_t begin = text.find("${");
    absl::StrAppend(&expanded, text.substr(0, begin));
    if (begin == absl::string_view::npos) return expanded;
    const size_t end = text.find('}', begin);
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError("unclosed ${");
    }
    const absl::string_view inside = text.substr(begin + 2, end - begin - 2);
    const size_t colon = inside.find(":-");
    const std::string name(inside.substr(0, colon));
    const char* const value = std::getenv(name.c_str());
    if (value != nullptr) {
      absl::StrAppend(&expanded, value);
    } else if (colon != absl::string_view::npos) {
      absl::StrAppend(&expanded, inside.substr(colon + 2));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("the variable ", Quote(name), " is not set in the environment"));
    }
    text.remove_prefix(end + 1);
  }
}

// Reads one table [readers.NAME].
class ReaderTable {
 public:
  // Variables are expanded only for the requested reader: those of other
  // readers need not be set.
  ReaderTable(TomlTable table, bool expand) : table_(table), expand_(expand) {}

  Reader Read() {
    Reader reader;
    if (!ReadWords("command", &reader.command)) {
      missing_command_ = true;
    } else if (reader.command.empty()) {
      table_.Fail("command", "the command is empty");
    }
    ReadWords("setup", &reader.setup);
    ReadEnvironment(&reader);
    ReadCapabilities(&reader);
    ReadSanitizer(&reader);
    ReadMebibytes("memory_mib", &reader.memory);
    ReadMebibytes("address_space_mib", &reader.address_space);
    ReadExitCodes("accept_exit", &reader.accept_exit);
    ReadExitCodes("reject_exit", &reader.reject_exit);
    return reader;
  }

  bool missing_command() const { return missing_command_; }

 private:
  bool ReadWords(const char* key, std::vector<std::string>* words) {
    if (!table_.Read(key, words)) return false;
    for (size_t i = 0; expand_ && i < words->size(); ++i) {
      absl::StatusOr<std::string> word = Expand((*words)[i]);
      if (!word.ok()) table_.Fail(key, i, word.status().message());
      if (word.ok()) (*words)[i] = *std::move(word);
    }
    return true;
  }

  void ReadEnvironment(Reader* reader) {
    std::optional<TomlTable> variables = table_.Table("environment");
    if (!variables) return;
    for (const std::string& name : variables->Keys()) {
      std::string value;
      if (!variables->Read(name, &value) || !expand_) continue;
      absl::StatusOr<std::string> expanded = Expand(value);
      if (!expanded.ok()) variables->Fail(name, expanded.status().message());
      if (expanded.ok()) reader->environment[name] = *std::move(expanded);
    }
  }

  void ReadCapabilities(Reader* reader) {
    std::string words;
    if (!table_.Read("capabilities", &words)) return;
    const auto caps = ParseCaps(words);
    if (!caps.ok()) table_.Fail("capabilities", caps.status().message());
    reader->capabilities = words;
  }

  void ReadSanitizer(Reader* reader) {
    if (!table_.Read("sanitizer", &reader->sanitizer)) return;
    const std::vector<std::string>& kinds = SanitizerKinds();
    if (std::count(kinds.begin(), kinds.end(), reader->sanitizer) == 0) {
      table_.Fail("sanitizer",
                  absl::StrCat("\"sanitizer\" must be one of ", absl::StrJoin(kinds, ", ")));
    }
  }

  void ReadMebibytes(const char* key, uint64_t* bytes) {
    uint64_t mebibytes;
    if (!table_.Read(key, &mebibytes)) return;
    if (mebibytes > kMostMebibytes) {
      table_.Fail(key, absl::StrCat(Quote(key), " must be at most ", kMostMebibytes));
    } else {
      *bytes = mebibytes << 20;
    }
  }

  void ReadExitCodes(const char* key, std::vector<int>* codes) {
    std::string text;
    if (!table_.Read(key, &text)) return;
    absl::StatusOr<std::vector<int>> parsed = ParseExitCodes(text);
    if (!parsed.ok()) table_.Fail(key, parsed.status().message());
    if (parsed.ok()) *codes = *std::move(parsed);
  }

  TomlTable table_;
  const bool expand_;
  bool missing_command_ = false;
};

}  // namespace

bool Reader::bare() const {
  return std::any_of(command.begin(), command.end(),
                     [](const std::string& word) { return absl::StrContains(word, kPathMark); });
}

const std::vector<std::string>& SanitizerKinds() {
  static const auto& kinds =
      *new std::vector<std::string>{"none", "asan", "ubsan", "asan+ubsan", "msan", "tsan"};
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
    return absl::InvalidArgumentError(absl::StrCat("unclosed quote in the command ", Quote(line)));
  }
  if (words.empty()) return absl::InvalidArgumentError("the command is empty");
  return words;
}

std::string ShellLine(const std::vector<std::string>& command) {
  return absl::StrJoin(command, " ", [](std::string* out, const std::string& word) {
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
      return absl::InvalidArgumentError(absl::StrCat(
          "invalid exit codes ", Quote(text), ": expected numbers from 0 to 255, such as 1,2"));
    }
    codes.push_back(code);
  }
  return codes;
}

absl::StatusOr<Reader> ReadReader(const std::string& path, absl::string_view name) {
  absl::StatusOr<TomlFile> file = TomlFile::Load(path);
  if (!file.ok()) return file.status();
  return ReadReader(*std::move(file), path, name);
}

absl::StatusOr<Reader> ReadReader(TomlFile file, const std::string& path, absl::string_view name) {
  TomlTable root = file.root();
  std::optional<TomlTable> tables = root.Table("readers");
  std::vector<std::string> names;
  std::optional<Reader> found;
  if (tables) names = tables->Keys();
  for (const std::string& listed : names) {
    std::optional<TomlTable> table = tables->Table(listed);
    if (!table) continue;
    ReaderTable reader(*table, listed == name);
    Reader read = reader.Read();
    if (reader.missing_command()) {
      tables->Fail(listed, "missing key \"command\": expected a list of strings");
    }
    if (listed == name) found = std::move(read);
  }
  const absl::Status status = file.Finish();
  if (!status.ok()) return status;
  if (!found) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has no reader ", Quote(name), "; it has ",
                     names.empty() ? "none" : absl::StrJoin(names, ", ")));
  }
  found->name = std::string(name);
  found->folder = fs::path(path).parent_path().string();
  found->listed = true;
  return *std::move(found);
}

}  // namespace gguf::readers
