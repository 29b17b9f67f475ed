// Reads names by the convention, or else as publishers write them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/model/file_name.h"
#include "conformance/model/text_match.h"
#include "conformance/tables/file_types.h"
#include "parser/tensor_type.h"
#include "re2/re2.h"

namespace gguf {

bool IsSizeLabel(absl::string_view word) {
  static const RE2& label = *new RE2(R"((?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])", RE2::Latin1);
  return Matches(label, word) && IsSizeNotContext(word);
}

bool IsVersion(absl::string_view word) {
  static const RE2& version = *new RE2(R"(v[0-9]+(?:\.[0-9]+)*)", RE2::Latin1);
  return Matches(version, word);
}

namespace {

// Returns a bit for each tensor type that an encoding stands for; 0 if it is
// not known.
uint64_t TypesOfWord(absl::string_view encoding) {
  for (const FileType& row : kFileTypes) {
    if (absl::EqualsIgnoreCase(encoding, row.name)) return row.types;
  }
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (absl::EqualsIgnoreCase(encoding, type.name)) {
      return uint64_t{1} << type.id;
    }
  }
  return 0;
}

// Returns the types for the words of publishers: "fp16", and mixes such as
// Q4_K_XL.
uint64_t TypesOfLooseEncoding(std::string encoding) {
  encoding = absl::AsciiStrToUpper(encoding);
  absl::string_view word = encoding;
  if (word == "FP16") return TypesOfWord("F16");
  if (word == "FP32") return TypesOfWord("F32");
  for (const char* mix : {"_XXL", "_XL", "_L"}) {
    if (TypesOfWord(word) == 0) absl::ConsumeSuffix(&word, mix);
  }
  return TypesOfWord(word);
}

}  // namespace

absl::string_view Text(const Model& model, absl::string_view key) {
  const KeyValue* kv = model.FindKey(key);
  return kv == nullptr ? "" : model.file.String(*kv).value_or("");
}

std::string Part(const Model& model, absl::string_view part) {
  const FileNameParts parts =
      model.name_parts() ? *model.name_parts() : ParseLooseFileName(model.file.name);
  for (const auto& [name, text] : parts) {
    if (name == part) return text;
  }
  return "";
}

std::string SizeIn(const Model& model) {
  const std::string label = Part(model, "SizeLabel");
  return IsSizeNotContext(label) ? label : "";
}

uint64_t TypesOfEncoding(const Model& model, absl::string_view encoding) {
  return model.name_parts() ? TypesOfWord(encoding) : TypesOfLooseEncoding(std::string(encoding));
}

// Finds the size label and the version among the words of a name, and examines
// what is before, between and after them.

namespace {

constexpr absl::string_view kSuffix = ".gguf";

using Words = std::vector<absl::string_view>;

// "a type before its encoding" -> "a type before its encoding (\"LoRA\")".
std::string With(absl::string_view fault, absl::string_view text) {
  return absl::StrCat(fault, " (", Quote(text), ")");
}

// Returns "PART with CHARACTER" for the first character that is not a letter, a
// digit, or one of `others`; empty if there is none.
std::string BadCharacter(absl::string_view part, absl::string_view text, absl::string_view others) {
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains(others, c)) continue;
    if (absl::ascii_isspace(c) && absl::StrContains(others, ' ')) continue;
    return absl::StrCat(part, " with ",
                        absl::ascii_isgraph(c) ? absl::StrCat("\"", std::string(1, c), "\"")
                        : c == ' '             ? "a blank"
                                               : "a special character");
  }
  return "";
}

bool IsType(absl::string_view word) { return word == "LoRA" || word == "vocab"; }

// Whether the word is one of the words of the base name but the first.
bool IsBaseWord(absl::string_view word) {
  const bool begins_number = !word.empty() && absl::ascii_isdigit(word[0]);
  return !begins_number || !absl::c_any_of(word, absl::ascii_isalpha);
}

// The faults of one name.
class Faults {
 public:
  explicit Faults(absl::string_view name);

  std::vector<std::string> Found() && { return std::move(found_); }

 private:
  static constexpr size_t kNone = absl::string_view::npos;

  // Adds a fault, unless it is empty.
  void Find(std::string fault) {
    if (!fault.empty()) found_.push_back(std::move(fault));
  }
  // Returns the text of the words [begin, end), with their dots.
  absl::string_view Text(size_t begin, size_t end) const {
    if (begin >= end) return "";
    const size_t from = words_[begin].data() - dashed_.data();
    const size_t to = words_[end - 1].data() + words_[end - 1].size() - dashed_.data();
    return name_.substr(from, to - from);
  }
  // Sets size_ and version_.
  void FindParts();
  void CheckSize();
  void CheckVersion();
  void CheckBaseName();
  void CheckFineTune();
  void CheckEnd(absl::string_view end);
  // Remove the part from the end of the words, and check it.
  void TakeShard(Words* words);
  void TakeTypes(Words* words);
  void CheckEncoding(const Words& words);

  absl::string_view name_;
  std::string dashed_;  // The name, with dashes for the dots between words.
  Words words_;         // Of `dashed_`.
  // Indexes of words.  A size that is the first word is not the size label,
  // because the base name is before that.
  size_t size_ = kNone, version_ = kNone;
  std::vector<std::string> found_;
};

Faults::Faults(absl::string_view name) : name_(name) {
  absl::ConsumeSuffix(&name_, kSuffix);
  while (absl::ConsumeSuffix(&name_, kSuffix)) Find("more than one .gguf");
  dashed_ = WithoutDots(name_);
  words_ = absl::StrSplit(dashed_, '-');
  FindParts();
  CheckSize();
  CheckVersion();
  CheckBaseName();
  const bool is_in_order = size_ == kNone || version_ == kNone || size_ < version_;
  if (!is_in_order || version_ == kNone) return;
  CheckFineTune();
  CheckEnd(name_.substr(Text(0, version_ + 1).size()));
  if (found_.empty() && name_ != dashed_) Find("a dot between its parts");
}

void Faults::FindParts() {
  static const RE2& miswritten =
      *new RE2(R"((?:[0-9.]+x)?[0-9.]*[0-9][0-9.]*[A-Za-z])", RE2::Latin1);
  for (const bool exactly : {true, false}) {
    for (size_t i = 1; i < words_.size() && size_ == kNone; ++i) {
      const absl::string_view word = words_[i];
      const bool is_size =
          exactly ? IsSizeLabel(word) : Matches(miswritten, word) && IsSizeNotContext(word);
      if (is_size) size_ = i;
    }
  }
  for (size_t i = 0; i < words_.size(); ++i) {
    if (!IsVersion(words_[i])) continue;
    // The last one, because the words before it may be such as v2; unless what
    // is before it is no fine-tune.
    const bool is_first = version_ == kNone || size_ == kNone || version_ < size_;
    if (is_first || BadCharacter("", Text(size_ + 1, i), "- ").empty()) {
      version_ = i;
    }
  }
}

void Faults::CheckSize() {
  if (size_ != kNone) {
    if (!IsSizeLabel(words_[size_])) {
      Find(With("a size label of another form", words_[size_]));
    }
    if (version_ != kNone && version_ < size_) {
      Find(With("a size label after its version", words_[size_]));
    }
  } else if (words_.size() > 1 && IsSizeLabel(words_[0])) {
    Find(With("a size label before its base name", words_[0]));
  } else {
    Find("no size label such as 7B");
  }
}

void Faults::CheckVersion() {
  if (version_ != kNone) return;
  for (const absl::string_view word : words_) {
    if (absl::StartsWith(word, "V") && IsVersion(absl::StrCat("v", word.substr(1)))) {
      return Find(With("a version with a capital letter", word));
    }
  }
  Find("no version such as v1.0");
}

void Faults::CheckBaseName() {
  // Without both, the words before what may be the encoding.
  size_t end = std::min(size_, version_);
  if (end == kNone) end = std::max<size_t>(words_.size() - 1, 1);
  const size_t begin = size_ == kNone && IsSizeLabel(words_[0]) && words_.size() > 1 ? 1 : 0;
  if (end == 0) return Find("no base name");
  const std::string bad = BadCharacter("a base name", Text(begin, end), "- ");
  if (!bad.empty()) return Find(bad);
  for (size_t i = std::max<size_t>(begin, 1); i < end; ++i) {
    if (IsBaseWord(words_[i])) continue;
    return Find(With("a base name with a digit before letters", words_[i]));
  }
}

void Faults::CheckFineTune() {
  if (size_ == kNone) return;
  static const RE2& attribute = *new RE2(R"([A-Za-z]+(?:[0-9]+\.)?[0-9]+[A-Za-z]+)", RE2::Latin1);
  size_t begin = size_ + 1;
  if (begin < version_ && Matches(attribute, words_[begin])) ++begin;
  if (begin == version_) return;
  if (begin + 1 == version_ && words_[begin].empty()) {
    return Find("two dashes before its version");
  }
  for (size_t i = begin; i < version_; ++i) {
    if (TypesOfWord(words_[i]) != 0 && absl::StrContains(words_[i], '_')) {
      return Find(With("an encoding before its version", words_[i]));
    }
  }
  Find(BadCharacter("a fine-tune", Text(begin, version_), "- "));
}

void Faults::CheckEnd(absl::string_view end) {
  if (end.empty()) return;
  if (end[0] == '.') Find("a dot after its version");
  Words words = absl::StrSplit(end.substr(1), '-');
  TakeShard(&words);
  TakeTypes(&words);
  CheckEncoding(words);
}

void Faults::TakeShard(Words* words) {
  const auto is_number = [](absl::string_view word) {
    return !word.empty() && absl::c_all_of(word, absl::ascii_isdigit);
  };
  for (size_t i = words->size(); i-- > 2;) {
    const absl::string_view number = (*words)[i - 2], count = (*words)[i];
    if ((*words)[i - 1] != "of" || !is_number(number) || !is_number(count)) {
      continue;
    }
    if (number.size() != 5 || count.size() != 5) {
      Find(With("shard numbers that are not of five digits", absl::StrCat(number, "-of-", count)));
    }
    if (i + 1 < words->size()) Find("a shard number that is not at its end");
    words->erase(words->begin() + i - 2, words->begin() + i + 1);
    return;
  }
}

void Faults::TakeTypes(Words* words) {
  if (words->size() > 1) {
    const absl::string_view word = words->back();
    const bool is_miswritten =
        absl::EqualsIgnoreCase(word, "LoRA") || absl::EqualsIgnoreCase(word, "vocab");
    if (is_miswritten && !IsType(word)) {
      Find(With("a type other than LoRA or vocab", word));
      words->pop_back();
    }
  }
  size_t types = 0;
  while (!words->empty() && IsType(words->back())) {
    words->pop_back();
    ++types;
  }
  if (types > 1) Find("more than one type");
  if (words->size() > 1 && IsType(words->front())) {
    Find(With("a type before its encoding", words->front()));
    words->erase(words->begin());
  }
}

void Faults::CheckEncoding(const Words& words) {
  if (words.empty()) return;
  if (words.size() > 1) {
    const bool has_encoding =
        absl::c_any_of(words, [](absl::string_view word) { return TypesOfWord(word) != 0; });
    return Find(
        With(has_encoding ? "more than an encoding after its version" : "an encoding with a dash",
             absl::StrJoin(words, "-")));
  }
  const absl::string_view word = words.front();
  if (word.empty()) return Find("an empty encoding");
  if (absl::StartsWith(word, "LoRA") || absl::StartsWith(word, "vocab")) {
    return Find(With("an encoding that begins like a type", word));
  }
  Find(BadCharacter("an encoding", word, "_"));
}

}  // namespace

std::string WhyNotByConvention(absl::string_view name) {
  if (!absl::EndsWith(name, kSuffix)) return "does not end with .gguf";
  std::vector<std::string> faults = Faults(name).Found();
  if (faults.empty()) return "does not match the specification's expression";
  const std::string last = faults.back();
  faults.pop_back();
  return absl::StrCat("has ", absl::StrJoin(faults, ", "), faults.empty() ? "" : " and ", last);
}

}  // namespace gguf
