// Distributes the words of the metadata to the parts of a name.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_proposal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/tensor_table.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/rules/naming/name_parts.h"
#include "conformance/tables/file_types.h"
#include "re2/re2.h"

namespace gguf {
namespace {

using Words = std::vector<std::string>;

// "Llama 3.1" -> Llama, 3, 1: words of ASCII letters and digits.
Words WordsOf(absl::string_view text) {
  Words words(1);
  for (const char c : text) {
    if (absl::ascii_isalnum(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// 7241732096 -> "7.2B"; empty for less than a thousand.
std::string SizeOf(uint64_t parameters) {
  constexpr absl::string_view kScales = "KMBTQ";
  double count = static_cast<double>(parameters) / 1000;
  size_t scale = 0;
  if (count < 1) return "";
  while (count >= 999.5 && scale + 1 < kScales.size()) {
    count /= 1000;
    ++scale;
  }
  std::string number = absl::StrFormat("%.*f", count < 9.95 ? 1 : 0, count);
  return absl::StrCat(absl::StripSuffix(number, ".0"), kScales.substr(scale, 1));
}

std::string SizeLabelOf(const Model& model) {
  const absl::string_view stated = Text(model, "general.size_label");
  const absl::string_view label = stated.substr(0, stated.find('-'));
  if (ParseSizeLabel(stated) && IsSizeLabel(label)) return std::string(stated);
  const auto parameters = CountParameters(model.tensors());
  return parameters ? SizeOf(*parameters) : "";
}

// "7b" -> "7B".
std::string WithLargeScale(absl::string_view label) {
  std::string text(label);
  text.back() = absl::ascii_toupper(text.back());
  return text;
}

// Returns whether the labels are the same but for rounding, for one expert or
// for all.  A missing label is the same as any.
bool IsSameSize(absl::string_view word, absl::string_view label) {
  if (label.empty()) return true;
  const auto one = ParseSizeLabel(word), other = ParseSizeLabel(label);
  if (!one || !other) return false;
  const auto is_close = [](double a, double b) {
    constexpr double kSlack = 1.5;
    return a < b * kSlack && b < a * kSlack;
  };
  const auto all = [](const SizeLabel& size) {
    return size.parameters * static_cast<double>(std::max<uint64_t>(size.experts, 1));
  };
  return is_close(one->parameters, other->parameters) || is_close(one->parameters, all(*other)) ||
         is_close(all(*one), other->parameters);
}

// Returns whether a word of a base name, but the first, begins with a digit and
// has letters, which the convention reserves for size labels.
bool IsLikeSizeLabel(absl::string_view word) {
  return absl::ascii_isdigit(word[0]) && absl::c_any_of(word, absl::ascii_isalpha);
}

bool IsContextLength(absl::string_view word) {
  static const RE2& context = *new RE2("[0-9]{1,4}[kK]|[0-9]{1,2}[mM]", RE2::Latin1);
  return Matches(context, word);
}

std::string EncodingOf(const Model& model) {
  const KeyValue* kv = model.FindKey("general.file_type");
  const auto id = kv == nullptr ? std::nullopt : model.file.Unsigned(*kv);
  return id && *id < kFileTypes.size ? kFileTypes[*id].name : "";
}

}  // namespace

StatedVersion ParseVersion(absl::string_view text) {
  static const RE2& number =
      *new RE2(R"([vV]?([0-9]+(?:[-._ ][0-9]+)*)(?:[^0-9A-Za-z].*|[A-Za-z].*)?)", RE2::Latin1);
  re2::StringPiece digits;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), number, &digits)) {
    return {"", absl::StrJoin(WordsOf(text), "-")};
  }
  const size_t end = digits.data() + digits.size() - text.data();
  const Words numbers = WordsOf({digits.data(), digits.size()});
  return {absl::StrJoin(numbers, "."), absl::StrJoin(WordsOf(text.substr(end)), "-")};
}

ProposedParts PropositionOf(const Model& model) {
  // general.name has all words in one key.
  const bool has_basename = !Text(model, "general.basename").empty();
  const absl::string_view tune = Text(model, "general.finetune");
  const bool has_size = !Text(model, "general.size_label").empty();
  std::string size = SizeLabelOf(model);
  StatedVersion version = ParseVersion(Text(model, "general.version"));
  Words base, finetune;
  bool is_after_size = false;
  for (const absl::string_view token :
       absl::StrSplit(Text(model, has_basename ? "general.basename" : "general.name"),
                      absl::ByAnyChar(" -_/"), absl::SkipEmpty())) {
    if (!base.empty() && IsSizeLabel(token) && IsSameSize(token, size)) {
      if (!has_size) size = WithLargeScale(token);
      is_after_size = !has_basename;
      continue;
    }
    if (!has_basename && IsVersion(token)) {
      if (version.number.empty()) version.number = std::string(token.substr(1));
      continue;
    }
    for (std::string& word : WordsOf(token)) {
      if (is_after_size) {
        if (tune.empty()) finetune.push_back(std::move(word));
      } else if (base.empty() || !IsLikeSizeLabel(word)) {
        base.push_back(std::move(word));
      } else if (IsContextLength(word) && !size.empty() && !absl::StrContains(size, '-')) {
        absl::StrAppend(&size, "-ContextLength", word);
      } else {
        finetune.push_back(std::move(word));
      }
    }
  }
  if (base.empty()) base = WordsOf(model.hparams().architecture_name());
  for (std::string& word : WordsOf(tune)) finetune.push_back(std::move(word));
  if (!version.words.empty()) finetune.push_back(version.words);
  // gguf.md: "If model is missing a version number then assume `v1.0`".
  if (version.number.empty()) version.number = "1.0";
  return {absl::StrJoin(base, "-"), size, absl::StrJoin(finetune, "-"),
          absl::StrCat("v", version.number)};
}

std::string ProposeFileName(const Model& model) {
  if (!model.file.kind.is_gguf) return "";
  const GgufKind kind = model.kind().kind;
  const ProposedParts proposed = PropositionOf(model);
  if (proposed.base_name.empty() || proposed.size_label.empty()) return "";
  Words parts;
  if (kind == GgufKind::kProjector) parts.push_back("mmproj");
  parts.insert(parts.end(), {proposed.base_name, proposed.size_label});
  if (!proposed.finetune.empty()) parts.push_back(proposed.finetune);
  parts.push_back(proposed.version);
  const std::string encoding = EncodingOf(model);
  if (!encoding.empty()) parts.push_back(encoding);
  if (kind == GgufKind::kLora) parts.push_back("LoRA");
  if (kind == GgufKind::kVocabulary) parts.push_back("vocab");
  const auto shard = ParseShardName(model.file.name);
  const std::string name = absl::StrCat(absl::StrJoin(parts, "-"),
                                        shard ? ShardSuffix(shard->number, shard->count) : ".gguf");
  return ParseFileName(name) ? name : "";
}

}  // namespace gguf
