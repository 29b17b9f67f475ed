// Wraps toml++ and tracks which keys were read.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/toml_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "toml++/toml.h"

namespace gguf {
namespace {

// The limit for nested brackets, and for the parts of a dotted key.
constexpr size_t kDepth = 8;

struct TomlFault {
  size_t line;  // Counted from 1.
  std::string what;
};

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns the size of the string at the beginning of `text`, including its
// quotes; a single-line string ends with the line at the latest.
size_t StringSize(absl::string_view text, bool several_lines) {
  const char quote = text[0];
  const std::string end(several_lines ? 3 : 1, quote);
  size_t at = end.size();
  while (at < text.size() && !absl::StartsWith(text.substr(at), end)) {
    if (!several_lines && text[at] == '\n') return at;
    at += text[at] == '\\' && quote == '"' ? 2 : 1;
  }
  at += end.size();
  // Up to two quotes before the closing ones belong to the string.
  for (int i = 0; several_lines && i < 2; ++i) {
    at += at < text.size() && text[at] == quote;
  }
  return std::min(at, text.size());
}

// Examines what is outside of strings and comments.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  std::optional<TomlFault> Run() {
    while (what_.empty() && !text_.empty()) Skip(Step());
    if (what_.empty()) return std::nullopt;
    return TomlFault{line_, what_};
  }

 private:
  // Examines the next token; returns its size.
  size_t Step();
  // Follows a character outside of strings and comments.
  void Follow(char c);
  void Skip(size_t size) {
    if (!what_.empty()) return;
    line_ += std::count(text_.begin(), text_.begin() + size, '\n');
    text_.remove_prefix(size);
  }

  absl::string_view text_;  // The rest.
  size_t line_ = 1;
  // Up to the first error, which ends toml++, these are as in TOML.
  std::string open_;      // Brackets.
  bool in_key_ = true;    // Not in a value.
  bool in_word_ = false;  // In or behind a bare key or value, or a string.
  size_t dots_ = 0;       // In the current key.
  std::string what_;      // The error message.
};

void Scanner::Follow(char c) {
  if (c == '[' || c == '{') open_ += c;
  if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
  if (absl::StrContains(" \t\r\n,]}", c)) {
    in_word_ = false;
    if (c == '\n' && open_.empty()) in_key_ = true;
    if (c == ',') in_key_ = !open_.empty() && open_.back() == '{';
  } else if (in_key_) {
    in_word_ = !absl::StrContains("[{.=", c);
    if (c == '=') in_key_ = false;
  } else if (!in_word_) {
    in_word_ = c != '[' && c != '{';
    if (c == '{') in_key_ = true;
  }
}

size_t Scanner::Step() {
  const char c = text_[0];
  if (c == '#') return std::min(text_.find('\n'), text_.size());
  if (c == '"' || c == '\'') {
    if (in_word_) {
      what_ = "a string must not follow another value directly";
    }
    in_word_ = true;
    const bool several = absl::StartsWith(text_, std::string(3, c));
    const size_t size = StringSize(text_, several);
    if (several && !IsAscii(text_.substr(0, size))) {
      what_ = "a multi-line string must be ASCII; use \\u escapes";
    }
    return size;
  }
  if (!IsAscii(text_.substr(0, 1))) {
    what_ = "non-ASCII text must be in quotes";
  }
  Follow(c);
  dots_ = c == '.' ? dots_ + 1 : absl::StrContains("\n[{,=", c) ? 0 : dots_;
  if (std::max(open_.size(), dots_ + 1) > kDepth) {
    what_ = absl::StrCat("tables and arrays are nested deeper than ", kDepth);
  }
  return 1;
}

// Finds input that leads to undefined behaviour or deep recursion in
// toml++ 3.3: text that is not UTF-8, non-ASCII bytes outside of comments and
// single-line strings, quotes inside of other values, and tables and arrays
// nested deeper than kDepth.  Runs in linear time.  Leaves all other errors to
// toml++.
std::optional<TomlFault> ScanToml(absl::string_view text) {
  const size_t valid = ValidUtf8Prefix(text);
  if (valid < text.size()) {
    const auto line = std::count(text.begin(), text.begin() + valid, '\n') + 1;
    return TomlFault{static_cast<size_t>(line), "the text is not UTF-8"};
  }
  return Scanner(text).Run();
}

}  // namespace

struct TomlContents {
  std::string name;
  toml::table root;
  // The keys that were read, of all tables.
  std::map<const toml::table*, std::set<std::string>> asked;
  // The first error by position.
  toml::source_position where;
  std::string what;  // Empty for no error.
  std::vector<std::string> warnings;

  bool IsFirst(const toml::source_region& place) const {
    return what.empty() || place.begin < where;
  }
  void Fail(const toml::source_region& place, absl::string_view error) {
    if (!IsFirst(place)) return;
    where = place.begin;
    what = std::string(error);
  }
};

namespace {

std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

std::string AtLine(absl::string_view name, const TomlFault& fault) {
  return absl::StrCat(Escape(name, name.size()), ":", fault.line, ": ", fault.what);
}

absl::Status Fault(absl::string_view name, const TomlFault& fault) {
  return absl::InvalidArgumentError(AtLine(name, fault));
}

const toml::table& AsTable(const void* table) { return *static_cast<const toml::table*>(table); }

// Returns the place of an existing key.
toml::source_region PlaceOf(const void* table, absl::string_view key) {
  const auto entry = AsTable(table).find(ToStd(key));
  Assert(entry != AsTable(table).end(), "the key is there");
  return entry->first.source();
}

// Returns the value of a key and marks it as read; null if the key is missing.
const toml::node* Ask(TomlContents* file, const void* table, absl::string_view key) {
  file->asked[&AsTable(table)].insert(std::string(key));
  return AsTable(table).get(ToStd(key));
}

std::string Unknown(absl::string_view key, const std::set<std::string>& known) {
  const std::vector<absl::string_view> words(known.begin(), known.end());
  const std::string closest = ClosestWord(key, words);
  std::string what = absl::StrCat("unknown key ", Quote(key), "; ");
  if (!closest.empty()) {
    absl::StrAppend(&what, "did you mean ", closest, "?");
  } else if (known.empty()) {
    absl::StrAppend(&what, "no keys are allowed here");
  } else {
    absl::StrAppend(&what, "expected one of ", absl::StrJoin(known, ", "));
  }
  return what;
}

}  // namespace

TomlTable::TomlTable(TomlContents* file, const void* table) : file_(file), table_(table) {
  file_->asked[&AsTable(table)];
}

template <class Node, class Value>
bool TomlTable::ReadAs(absl::string_view key, const char* type, Value* value) {
  const toml::node* node = Ask(file_, table_, key);
  if (node == nullptr) return false;
  if (const auto* found = node->as<Node>()) {
    *value = found->get();
    return true;
  }
  Fail(key, absl::StrCat(Quote(key), " must be ", type));
  return false;
}

bool TomlTable::Read(absl::string_view key, std::string* value) {
  return ReadAs<std::string>(key, "a string", value);
}

bool TomlTable::Read(absl::string_view key, bool* value) {
  return ReadAs<bool>(key, "true or false", value);
}

bool TomlTable::Read(absl::string_view key, uint64_t* value) {
  int64_t number;
  constexpr char kType[] = "a non-negative integer";
  if (!ReadAs<int64_t>(key, kType, &number)) return false;
  if (number < 0) {
    Fail(key, absl::StrCat(Quote(key), " must be ", kType));
    return false;
  }
  *value = number;
  return true;
}

bool TomlTable::Read(absl::string_view key, double* value) {
  const toml::node* node = Ask(file_, table_, key);
  if (node == nullptr || !node->is_integer()) {
    return ReadAs<double>(key, "a number", value);
  }
  *value = static_cast<double>(node->as_integer()->get());
  return true;
}

bool TomlTable::Read(absl::string_view key, std::vector<std::string>* value) {
  const toml::node* node = Ask(file_, table_, key);
  if (node == nullptr) return false;
  const std::string what = absl::StrCat(Quote(key), " must be a list of strings");
  if (!node->is_array()) {
    Fail(key, what);
    return false;
  }
  std::vector<std::string> texts;
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_string()) {
      Fail(key, texts.size(), what);
      return false;
    }
    texts.push_back(element.as_string()->get());
  }
  *value = std::move(texts);
  return true;
}

bool TomlTable::IsString(absl::string_view key) const {
  const toml::node* node = AsTable(table_).get(ToStd(key));
  return node != nullptr && node->is_string();
}

std::optional<TomlTable> TomlTable::Table(absl::string_view key) {
  const toml::node* node = Ask(file_, table_, key);
  if (node == nullptr) return std::nullopt;
  if (node->is_table()) return TomlTable(file_, node->as_table());
  Fail(key, absl::StrCat(Quote(key), " must be a table"));
  return std::nullopt;
}

std::vector<std::string> TomlTable::Keys() const {
  std::vector<std::string> keys;
  for (const auto& entry : AsTable(table_)) {
    keys.emplace_back(entry.first.str());
  }
  return keys;
}

void TomlTable::Fail(absl::string_view key, absl::string_view what) {
  file_->Fail(PlaceOf(table_, key), what);
}

void TomlTable::Fail(absl::string_view key, size_t element, absl::string_view what) {
  const toml::array& list = *AsTable(table_).get(ToStd(key))->as_array();
  file_->Fail(list[element].source(), what);
}

void TomlTable::Warn(absl::string_view key, absl::string_view what) {
  const size_t line = PlaceOf(table_, key).begin.line;
  file_->warnings.push_back(AtLine(file_->name, {line, std::string(what)}));
}

bool TomlTable::failed() const { return !file_->what.empty(); }

TomlFile::TomlFile(std::unique_ptr<TomlContents> contents) : contents_(std::move(contents)) {}
TomlFile::TomlFile(TomlFile&&) noexcept = default;
TomlFile::~TomlFile() = default;

absl::StatusOr<TomlFile> TomlFile::Parse(absl::string_view text, absl::string_view name) {
  if (text.size() > kTomlBytes) {
    return Fault(name, {1, absl::StrCat("the file is larger than ", kTomlBytes, " bytes")});
  }
  if (const auto fault = ScanToml(text)) return Fault(name, *fault);
  auto contents = std::make_unique<TomlContents>();
  contents->name = std::string(name);
  try {
    contents->root = toml::parse(ToStd(text));
  } catch (const toml::parse_error& error) {
    const std::string what(error.description());
    return Fault(name, {error.source().begin.line, Escape(what, kTomlBytes)});
  }
  return TomlFile(std::move(contents));
}

absl::StatusOr<TomlFile> TomlFile::Load(const std::string& path) {
  const std::string shown = Escape(path, path.size());
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return absl::NotFoundError(absl::StrCat(shown, ": no such file"));
  }
  if (error || !is_regular_file(status)) {
    return absl::FailedPreconditionError(
        absl::StrCat(shown, ": ", error ? error.message() : "not a regular file"));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(kTomlBytes + 1, '\0');
  in.read(&text[0], text.size());
  if (in.bad() || !in.is_open()) {
    return absl::FailedPreconditionError(absl::StrCat(shown, ": the file cannot be read"));
  }
  text.resize(in.gcount());
  return Parse(text, path);
}

const std::vector<std::string>& TomlFile::warnings() const { return contents_->warnings; }

TomlTable TomlFile::root() { return {contents_.get(), &contents_->root}; }

absl::Status TomlFile::Finish() {
  for (const auto& [table, known] : contents_->asked) {
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      if (known.count(name) > 0 || !contents_->IsFirst(key.source())) continue;
      contents_->Fail(key.source(), Unknown(name, known));
    }
  }
  if (contents_->what.empty()) return absl::OkStatus();
  return Fault(contents_->name, {contents_->where.line, contents_->what});
}

}  // namespace gguf
