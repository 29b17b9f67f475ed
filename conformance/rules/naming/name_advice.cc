// Looks for the parts of a name one by one, and composes another name.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/name_advice.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/loose_file_name.h"
#include "conformance/model/regex.h"
#include "conformance/model/shard_name.h"
#include "conformance/model/tensor_census.h"
#include "conformance/rules/naming/name_parts.h"
#include "conformance/tables/file_types.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr absl::string_view kSuffix = ".gguf";

bool IsSizeLabel(absl::string_view word) {
  static const RE2& label =
      *new RE2(R"((?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])", RE2::Latin1);
  return Matches(label, word) && IsSizeNotContext(word);
}

bool IsVersion(absl::string_view word) {
  static const RE2& version = *new RE2(R"(v[0-9]+(?:\.[0-9]+)*)", RE2::Latin1);
  return Matches(version, word);
}

// Returns the first character that a base name cannot have.
std::optional<char> FirstBad(absl::string_view base) {
  for (const char c : base) {
    if (!absl::ascii_isalnum(c) && !absl::ascii_isspace(c) && c != '-') {
      return c;
    }
  }
  return std::nullopt;
}

std::string Named(char c) {
  return absl::ascii_isgraph(c) ? absl::StrCat("\"", std::string(1, c), "\"")
                                : "a special character";
}

// "Llama 3.1 8k" -> "Llama-3-1-8-k": letters, digits and dashes; no part that
// begins with a digit has letters.
std::string AsBaseName(absl::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool ends_number = absl::ascii_isalpha(c) && !name.empty() &&
                             absl::ascii_isdigit(name.back()) &&
                             absl::ascii_isdigit(name[name.rfind('-') + 1]);
    if (ends_number) name += '-';
    if (absl::ascii_isalnum(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (absl::EndsWith(name, "-")) name.pop_back();
  return name;
}

// Returns the words of general.name before a size: those of the base model.
std::string BaseOf(const Model& model) {
  const absl::string_view stated = Text(model, "general.basename");
  if (!stated.empty()) return AsBaseName(stated);
  std::vector<absl::string_view> words;
  for (const absl::string_view word :
       absl::StrSplit(Text(model, "general.name"), absl::ByAnyChar(" -_"))) {
    if (IsSizeLabel(word) || IsVersion(word)) break;
    words.push_back(word);
  }
  const std::string name = AsBaseName(absl::StrJoin(words, "-"));
  return name.empty() ? AsBaseName(model.hparams().architecture_name()) : name;
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
  return absl::StrCat(absl::StripSuffix(number, ".0"),
                      kScales.substr(scale, 1));
}

std::string SizeLabelOf(const Model& model) {
  const absl::string_view stated = Text(model, "general.size_label");
  if (IsSizeLabel(stated)) return std::string(stated);
  const auto parameters = CountParameters(model.tensors());
  return parameters ? SizeOf(*parameters) : "";
}

std::string VersionOf(const Model& model) {
  absl::string_view stated = Text(model, "general.version");
  absl::ConsumePrefix(&stated, "v");
  std::string version = absl::StrCat("v", stated);
  return IsVersion(version) ? version : "v1.0";
}

std::string EncodingOf(const Model& model) {
  const KeyValue* kv = model.FindKey("general.file_type");
  const auto id = kv == nullptr ? std::nullopt : model.file.Unsigned(*kv);
  return id && *id < kFileTypes.size ? kFileTypes[*id].name : "";
}

}  // namespace

std::string WhyNotByConvention(absl::string_view name) {
  if (!absl::ConsumeSuffix(&name, kSuffix)) return "does not end with .gguf";
  // The text up to the first word that `is_part` accepts; also, as many
  // publishers write it, before a dot.
  const std::string text = WithoutDots(name);
  const auto end_of = [&](bool (*is_part)(absl::string_view)) {
    size_t end = 0;
    for (const absl::string_view word : absl::StrSplit(text, '-')) {
      if (is_part(word)) return end;
      end += word.size() + 1;
    }
    return absl::string_view::npos;
  };
  const size_t size = end_of(IsSizeLabel), version = end_of(IsVersion);
  std::vector<std::string> faults;
  if (size == absl::string_view::npos) {
    faults.push_back("no size label such as 7B");
  }
  if (version == absl::string_view::npos) {
    faults.push_back("no version such as v1.0");
  }
  // Without both, the words before what may be the encoding.
  size_t end = std::min(size, version);
  if (end == absl::string_view::npos) end = text.rfind('-');
  const auto bad = FirstBad(name.substr(0, end));
  if (bad) faults.push_back("a base name with " + Named(*bad));
  if (faults.empty() && text.substr(version) != name.substr(version)) {
    return "has a dot before its encoding";
  }
  if (faults.empty()) {
    return "does not have base name, size label, fine-tune, version and "
           "encoding in this order";
  }
  const std::string last = faults.back();
  faults.pop_back();
  return absl::StrCat("has ", absl::StrJoin(faults, ", "),
                      faults.empty() ? "" : " and ", last);
}

std::string ProposeFileName(const Model& model) {
  if (!model.file.kind.is_gguf) return "";
  const GgufKind kind = model.kind().kind;
  const std::string base = BaseOf(model), size = SizeLabelOf(model);
  if (base.empty() || size.empty()) return "";
  std::vector<std::string> parts;
  if (kind == GgufKind::kProjector) parts.push_back("mmproj");
  parts.insert(parts.end(), {base, size});
  const std::string finetune = AsBaseName(Text(model, "general.finetune"));
  if (!finetune.empty()) parts.push_back(finetune);
  parts.push_back(VersionOf(model));
  const std::string encoding = EncodingOf(model);
  if (!encoding.empty()) parts.push_back(encoding);
  if (kind == GgufKind::kLora) parts.push_back("LoRA");
  if (kind == GgufKind::kVocabulary) parts.push_back("vocab");
  const auto shard = ParseShardName(model.file.name);
  const std::string name =
      absl::StrCat(absl::StrJoin(parts, "-"),
                   shard ? ShardSuffix(shard->number, shard->count) : kSuffix);
  return ParseFileName(name) ? name : "";
}

}  // namespace gguf
