// Compares names with the endings of browsers, download managers and programs that split files.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/unfinished_name.h"

#include "absl/strings/str_cat.h"
#include "conformance/model/text_match.h"
#include "re2/re2.h"

namespace gguf {

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
