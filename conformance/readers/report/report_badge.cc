// The badge: an SVG image for a README.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "conformance/readers/report/reports.h"
#include "conformance/report/escape.h"

namespace gguf::readers {
namespace {

constexpr int kLetterWidth = 7;  // Approximate.
constexpr int kPadding = 6;

int WidthOf(const std::string& text) {
  return static_cast<int>(text.size()) * kLetterWidth + 2 * kPadding;
}

struct Value {
  std::string text;
  const char* color;
};

// Unsafe cases make the badge red, whatever the score.
Value ValueOf(const Column& column) {
  const uint64_t unsafe = CountOf(CaseResult::kUnsafe, column);
  if (!column.run->problems.empty()) return {"incomplete", "#5a6372"};
  const std::string percent =
      absl::StrReplaceAll(Percent(column.score), {{" %", "%"}});
  if (unsafe > 0) {
    return {absl::StrCat(percent, ", ", unsafe, " unsafe"), "#a3121f"};
  }
  const bool all = column.score.passed == column.score.judged;
  return {percent, column.score.judged == 0 ? "#5a6372"
                   : all                    ? "#17652b"
                                            : "#8f3b00"};
}

}  // namespace

std::string BadgeReport(const Matrix& matrix) {
  const Column& column = matrix.columns.front();
  const Value value = ValueOf(column);
  const std::string label = "GGUF conformance";
  const int left = WidthOf(label), right = WidthOf(value.text);
  const std::string title = HtmlText(
      XmlText(absl::StrCat(column.run->label, ": ", label, " ", value.text)));
  return absl::StrFormat(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s">
<title>%s</title>
<clipPath id="r"><rect width="%d" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="%d" height="20" fill="#3b424d"/><rect x="%d" width="%d" height="20" fill="%s"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="%d" y="14" textLength="%d">%s</text>
<text x="%d" y="14" textLength="%d">%s</text>
</g>
</svg>
)svg",
      left + right, title, title, left + right, left, left, right, value.color,
      left / 2, left - 2 * kPadding, label, left + right / 2,
      right - 2 * kPadding, value.text);
}

}  // namespace gguf::readers
