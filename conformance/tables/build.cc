// Reads and writes versions of llama.cpp.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/build.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/tables/builds.h"

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

// The builds between which a release lies: it is newer than `after` and not newer
// than `to`, or both are its number.
struct Between {
  int32_t after = kNoBuild, to = std::numeric_limits<int32_t>::max();
};

Between NumbersOf(int32_t release) {
  Between between;
  bool is_past = false;
  for (const BuildRow& row : kBuilds) {
    is_past |= row.release >= release;
    if (row.build == kNoBuild) continue;
    if (!is_past || row.release == release) between.after = row.build;
    if (!is_past) continue;
    between.to = row.release == release ? row.build : row.build - 1;  // The row is of a later one.
    break;
  }
  return between;
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

std::optional<bool> Includes(int32_t version, int32_t first) {
  if (IsRelease(version) == IsRelease(first)) return version >= first;
  const Between between = NumbersOf(std::max(version, first));  // Of the release.
  if (IsRelease(version)) {
    if (first <= between.after) return true;
    if (first > between.to) return false;
  } else {
    if (version >= between.to) return true;
    if (version <= between.after) return false;
  }
  return std::nullopt;
}

std::string MonthOf(int32_t build) {
  for (const BuildRow& row : kBuilds) {
    const int32_t version = IsRelease(build) || row.build == kNoBuild ? row.release : row.build;
    if (row.month[0] != '-' && version != kNoBuild && Includes(version, build) == true) {
      return row.month;
    }
  }
  return "";
}

std::string MonthWords(int32_t build) {
  static constexpr const char* kNames[] = {"January",   "February", "March",    "April",
                                           "May",       "June",     "July",     "August",
                                           "September", "October",  "November", "December"};
  const std::string month = MonthOf(build);  // "2026-09"
  int number = 0;
  if (month.size() < 7 || !absl::SimpleAtoi(month.substr(5), &number)) return "";
  if (number < 1 || number > 12) return "";
  return absl::StrCat(kNames[number - 1], " ", month.substr(0, 4));
}

int32_t NewestBuild() {
  const BuildRow& last = kBuilds[kBuilds.size - 1];
  return last.build != kNoBuild ? last.build : last.release;
}

std::optional<int32_t> FindVersion(absl::string_view text) {
  auto version = ParseBuild(text);
  if (!version) version = ParseBuild(absl::StrCat("v", text));
  if (!version || *version == kNoBuild) return std::nullopt;
  const auto has_it = Includes(NewestBuild(), *version);
  return has_it == false ? std::nullopt : version;
}

}  // namespace gguf
