// Finds special tokens, and scans a template until the facts of its variables no longer grow.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/template_scan.h"

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/scanner.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

bool IsInName(char c) {
  return absl::ascii_isalnum(c) || (c & 0x80) != 0 ||
         string_view("_-.:").find(c) != string_view::npos;
}

}  // namespace

void SpecialTokens::FindIn(const Token& token) {
  const string_view text = token.text;
  for (const string_view bar : {"|", "\xef\xbd\x9c"}) {
    const std::string begin = absl::StrCat("<", bar);
    const std::string end = absl::StrCat(bar, ">");
    for (size_t at = text.find(begin); at != string_view::npos; at = text.find(begin, at + 1)) {
      const size_t name = at + begin.size();
      size_t stop = name;
      while (stop < text.size() && IsInName(text[stop]) &&
             !absl::StartsWith(text.substr(stop), bar)) {
        ++stop;
      }
      if (stop == name || !absl::StartsWith(text.substr(stop), end)) continue;
      Add(text.substr(at, stop + end.size() - at), token.offset + at);
    }
  }
}

void SpecialTokens::Add(string_view text, size_t offset) {
  if (is_full() || !seen_.insert(text).second) return;
  tokens_.push_back({Token::kText, text, offset, ""});
}

// Scans a template until the facts of its variables no longer grow.

namespace {

// Real templates need up to seven.
constexpr int kMostScans = 16;

}  // namespace

TemplateScan ScanTemplate(absl::string_view text, size_t* bytes_left) {
  TemplateScan scan;
  scan.is_skipped = text.size() > *bytes_left;
  if (scan.is_skipped) return scan;
  const auto flow = std::make_unique<Flow>();
  for (int scans = 1; text.size() <= *bytes_left; ++scans) {
    const bool is_last = scans == kMostScans || (scans > 1 && *bytes_left / 2 < text.size());
    if (is_last) flow->GiveUp();
    *bytes_left -= text.size();
    flow->BeginScan();
    scan = Scanner(text, flow.get()).Run();
    if (!flow->has_grown()) return scan;
    if (is_last) break;
  }
  scan.is_too_rich = true;
  return scan;
}

}  // namespace gguf::jinja
