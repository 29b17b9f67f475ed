// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/readers_toml.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/readers/protocol/caps.h"
#include "parser/core/quote.h"

namespace gguf::readers {
namespace {

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
      return absl::InvalidArgumentError(absl::StrCat(
          "the variable ", Quote(name), " is not set in the environment"));
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
      table_.Fail("sanitizer", absl::StrCat("\"sanitizer\" must be one of ",
                                            absl::StrJoin(kinds, ", ")));
    }
  }

  void ReadMebibytes(const char* key, uint64_t* bytes) {
    uint64_t mebibytes;
    if (!table_.Read(key, &mebibytes)) return;
    if (mebibytes > kMostMebibytes) {
      table_.Fail(
          key, absl::StrCat(Quote(key), " must be at most ", kMostMebibytes));
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

absl::StatusOr<Reader> ReadReader(const std::string& path,
                                  absl::string_view name) {
  absl::StatusOr<TomlFile> file = TomlFile::Load(path);
  if (!file.ok()) return file.status();
  return ReadReader(*std::move(file), path, name);
}

absl::StatusOr<Reader> ReadReader(TomlFile file, const std::string& path,
                                  absl::string_view name) {
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
      tables->Fail(listed,
                   "missing key \"command\": expected a list of strings");
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
  found->folder = std::filesystem::path(path).parent_path().string();
  found->listed = true;
  return *std::move(found);
}

}  // namespace gguf::readers
