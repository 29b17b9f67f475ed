// Splits names at dashes, underscores and dots; implements the naming convention as an RE2
// expression.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/file_name.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/text_match.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr absl::string_view kShape = "-00000-of-00000.gguf";

// Parses the five digits at `at`.
uint32_t FiveDigits(absl::string_view text, size_t at) {
  uint32_t number = 0;
  for (const char digit : text.substr(at, 5)) {
    number = 10 * number + static_cast<uint32_t>(digit - '0');
  }
  return number;
}

}  // namespace

std::optional<ShardName> ParseShardName(absl::string_view name) {
  if (name.size() < kShape.size()) return std::nullopt;
  const size_t end_of_prefix = name.size() - kShape.size();
  const absl::string_view suffix = name.substr(end_of_prefix);
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == '0' ? absl::ascii_isdigit(suffix[i]) : suffix[i] == kShape[i];
    if (!fits) return std::nullopt;
  }
  return ShardName{name.substr(0, end_of_prefix), FiveDigits(suffix, kShape.find('0')),
                   FiveDigits(suffix, kShape.find("of-") + 3)};
}

std::string ShardSuffix(uint64_t number, uint64_t count) {
  return absl::StrFormat("-%05u-of-%05u.gguf", number, count);
}

// Implements the naming convention as an RE2 expression.
//
// Two things differ from the published expression, without changing its
// meaning. JavaScript's \s matches Unicode white space and RE2's does not, so
// it is written out.  RE2 has no lookahead, so "a word that does not begin with
// LoRA or vocab" is written out as well, prefix by prefix.

namespace {

// <S> stands for the white space inside a bracket expression.
constexpr char kBaseName[] =
    R"((?P<BaseName>[A-Za-z0-9<S>]*(?:-(?:[A-Za-z<S>][A-Za-z0-9<S>]*|[0-9<S>]*))*))";
constexpr char kSizeAndFineTune[] = R"((?:(?P<SizeLabel>(?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])"
                                    R"((?:-[A-Za-z]+(?:[0-9]+\.)?[0-9]+[A-Za-z]+)?))"
                                    R"((?:-(?P<FineTune>[A-Za-z0-9<S>-]+))?)?)";
constexpr char kVersion[] = R"((?P<Version>v[0-9]+(?:\.[0-9]+)*))";
// A word ends at the next dash or dot, so the order of these does not matter.
constexpr char kEncoding[] = R"((?:-(?P<Encoding>[0-9A-KM-Z_a-uw-z]\w*)"
                             R"(|L(?:[0-9A-Z_a-np-z]\w*)?|Lo(?:[0-9A-QS-Z_a-z]\w*)?)"
                             R"(|LoR(?:[0-9B-Z_a-z]\w*)?)"
                             R"(|v(?:[0-9A-Z_a-np-z]\w*)?|vo(?:[0-9A-Z_abd-z]\w*)?)"
                             R"(|voc(?:[0-9A-Z_b-z]\w*)?|voca(?:[0-9A-Z_ac-z]\w*)?))?)";
constexpr char kTypeAndShard[] =
    R"((?:-(?P<Type>LoRA|vocab))?(?:-(?P<Shard>[0-9]{5}-of-[0-9]{5}))?\.gguf)";

constexpr char kSpace[] = R"(\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f})"
                          R"(\x{205f}\x{3000}\x{feff})";

std::string Expression(bool sidecar) {
  const std::string expression = std::string(sidecar ? "(?:(?P<Sidecar>mmproj|mtp)-)?" : "") +
                                 kBaseName + "-" + kSizeAndFineTune + "-" + kVersion + kEncoding +
                                 kTypeAndShard;
  return absl::StrReplaceAll(expression, {{"<S>", kSpace}});
}

const RE2& Convention(NamingConvention convention) {
  static const RE2& k2024 = *new RE2(Expression(false));
  static const RE2& k2026 = *new RE2(Expression(true));
  return convention == NamingConvention::k2024 ? k2024 : k2026;
}

}  // namespace

std::optional<FileNameParts> ParseFileName(absl::string_view name, NamingConvention convention) {
  const RE2& expression = Convention(convention);
  const int groups = expression.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(1 + groups);
  const re2::StringPiece text(name.data(), name.size());
  if (!expression.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, found.data(), 1 + groups)) {
    return std::nullopt;
  }
  FileNameParts parts;
  for (const auto& [index, part] : expression.CapturingGroupNames()) {
    if (found[index].data() == nullptr) continue;
    parts.emplace_back(part, std::string(found[index]));
  }
  return parts;
}

// Splits names at dashes, underscores and dots.

namespace {

// Words that mark a file whose name states the size of another model.
constexpr absl::string_view kCompanionWords[] = {"adapter", "dflash", "draft",     "eagle",
                                                 "eagle2",  "eagle3", "lora",      "medusa",
                                                 "mmproj",  "mtp",    "speculator"};

// Returns the one size in the words; empty if none, or if it is not certain
// that it is the number of the model's parameters.
std::string SizeIn(const std::vector<std::string>& words) {
  static const RE2& label = *new RE2(R"((?:[0-9]{1,3}x)?[0-9]{1,4}(?:\.[0-9]{1,3})?[BbTt])"
                                     R"(|[0-9]{1,4}(?:\.[0-9]{1,3})?[Mm])");
  // Llama-4-Scout-17B-16E: 17B is the size of the experts in use.
  static const RE2& experts = *new RE2("[0-9]{1,4}[Ee]");
  std::string size;
  for (const std::string& word : words) {
    if (absl::c_linear_search(kCompanionWords, absl::AsciiStrToLower(word)) ||
        Matches(experts, word)) {
      return "";
    }
    if (!Matches(label, word) || absl::EqualsIgnoreCase(size, word)) continue;
    if (size.empty()) {
      size = word;
      continue;
    }
    // After a size, R1-140M-15T has the number of tokens that the model was
    // trained on, and Qwen2.5-7B-Instruct-1M the length of the context.
    const char scale = absl::ascii_toupper(word.back());
    const bool is_of_millions = absl::ascii_toupper(size.back()) == 'M';
    if (scale != 'T' && (scale != 'M' || is_of_millions)) return "";
  }
  return size;
}

// Returns the last word; empty if another one looks like an encoding, too, as
// in names that list the encodings of several kinds of tensors.
std::string EncodingIn(const std::vector<std::string>& words) {
  static const RE2& encoding =
      *new RE2("(?i)(?:i?q[0-9]|tq[0-9]|b?f16|f32|fp16|fp32|mxfp4|nvfp4).*");
  if (words.empty()) return "";
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (Matches(encoding, words[i])) return "";
  }
  return words.back();
}

}  // namespace

std::string WithoutDots(absl::string_view name) {
  std::string text(name);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') continue;
    const bool begins_number = i + 1 < name.size() && absl::ascii_isdigit(name[i + 1]) &&
                               (i == 0 || absl::ascii_isdigit(name[i - 1]) || name[i - 1] == ' ');
    if (!begins_number) text[i] = '-';
  }
  return text;
}

FileNameParts ParseLooseFileName(absl::string_view name) {
  constexpr absl::string_view kSuffix = ".gguf";
  constexpr size_t kLongest = 1024;
  FileNameParts parts;
  if (name.size() > kLongest || !absl::EndsWithIgnoreCase(name, kSuffix)) {
    return parts;
  }
  name.remove_suffix(kSuffix.size());
  static const RE2& shard = *new RE2("-[0-9]{5}-of-[0-9]{5}$");
  re2::StringPiece rest(name.data(), name.size());
  re2::StringPiece found;
  if (shard.Match(rest, 0, rest.size(), RE2::UNANCHORED, &found, 1)) {
    name.remove_suffix(found.size());
  }
  for (const char* sidecar : {"mmproj", "mtp"}) {
    absl::string_view after = name;
    if (absl::ConsumePrefix(&after, sidecar) && absl::ConsumePrefix(&after, "-")) {
      parts.emplace_back("Sidecar", sidecar);
      name = after;
      break;
    }
  }
  const std::string text = WithoutDots(name);
  // As gguf-py does, reads Refact-1_6B as 1.6B.
  static const LazyRE2 kPoint = {R"((^|-)([0-9]+)_([0-9]+[BbMmTt])(-|$))"};
  std::string sizes = text;
  RE2::GlobalReplace(&sizes, *kPoint, R"(\1\2.\3\4)");
  const std::string size = SizeIn(absl::StrSplit(sizes, absl::ByAnyChar("-_ "), absl::SkipEmpty()));
  if (parts.empty() && !size.empty()) parts.emplace_back("SizeLabel", size);
  const std::string encoding = EncodingIn(absl::StrSplit(text, '-', absl::SkipEmpty()));
  if (!encoding.empty()) parts.emplace_back("Encoding", encoding);
  return parts;
}

bool IsSizeNotContext(absl::string_view label) {
  static const RE2& context = *new RE2("[0-9]+k");
  return !Matches(context, label);
}

std::string WhatIsUnfinished(absl::string_view name) {
  static const RE2& kPartOf = *new RE2("(?i)[._-]part[._-]?(\\d{1,5})[._-]?of[._-]?(\\d{1,5})");
  static const RE2& kPart = *new RE2(
      "(?i)\\.gguf[._-]?(split[._-]?[a-z0-9]{1,3}|part[._-]?([a-z]{1,2}|\\d+)|\\d{3}|[a-z]{2})$");
  static const RE2& kDownload = *new RE2(
      "(?i)([.-](incomplete|part|partial(-\\d+)?|crdownload|opdownload|download|filepart|aria2|tmp|"
      "dtapart|fdmdownload|td|xltd|bc!|!qb|!ut)|\\.part\\.(met|minfo))$");
  std::string number, count;
  if (RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), kPartOf, &number, &count)) {
    return absl::StrCat("part ", number, " of ", count, " of a file; join the parts in order");
  }
  if (MatchesPart(kPart, name)) return "a part of a file; join the parts in order";
  if (MatchesPart(kDownload, name)) return "an unfinished download; resume it";
  return "";
}

}  // namespace gguf
