// Reads and writes versions of llama.cpp.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/build.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf {
namespace {

constexpr int32_t kReleases = 1'000'000'000;  // Plus 1002003 for v1.2.3.
constexpr int32_t kPart = 1000;

// Returns a number below `end` of digits without a leading zero, or nothing.
std::optional<int32_t> ParseNumber(absl::string_view text, int32_t end) {
  int32_t number;
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (!digits || (text[0] == '0' && text.size() > 1) || !absl::SimpleAtoi(text, &number) ||
      number >= end) {
    return std::nullopt;
  }
  return number;
}

std::optional<int32_t> ParseRelease(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() != 3) return std::nullopt;
  int32_t release = 0;
  for (const absl::string_view part : parts) {
    const std::optional<int32_t> number = ParseNumber(part, kPart);
    if (!number) return std::nullopt;
    release = release * kPart + *number;
  }
  return kReleases + release;
}

}  // namespace

std::optional<int32_t> ParseBuild(absl::string_view text) {
  if (text == "-") return kNoBuild;
  if (absl::ConsumePrefix(&text, "v")) return ParseRelease(text);
  if (!absl::ConsumePrefix(&text, "b")) return std::nullopt;
  const std::optional<int32_t> number = ParseNumber(text, kReleases);
  return number == kNoBuild ? std::nullopt : number;
}

std::string BuildText(int32_t build) {
  if (build == kNoBuild) return "-";
  if (!IsRelease(build)) return absl::StrCat("b", build);
  const int32_t release = build - kReleases;
  return absl::StrCat("v", release / kPart / kPart, ".", release / kPart % kPart, ".",
                      release % kPart);
}

bool IsRelease(int32_t build) { return build >= kReleases; }

}  // namespace gguf
