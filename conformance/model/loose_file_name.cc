// Splits names at dashes, underscores and dots.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/loose_file_name.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/model/regex.h"
#include "re2/re2.h"

namespace gguf {
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
  const std::string size = SizeIn(absl::StrSplit(text, absl::ByAnyChar("-_ "), absl::SkipEmpty()));
  if (parts.empty() && !size.empty()) parts.emplace_back("SizeLabel", size);
  const std::string encoding = EncodingIn(absl::StrSplit(text, '-', absl::SkipEmpty()));
  if (!encoding.empty()) parts.emplace_back("Encoding", encoding);
  return parts;
}

bool IsSizeNotContext(absl::string_view label) {
  static const RE2& context = *new RE2("[0-9]+k");
  return !Matches(context, label);
}

}  // namespace gguf
