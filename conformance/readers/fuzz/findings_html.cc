// Writes what a fuzzing run found as a page, with the style of the report on
// readers and without a script.
//
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/escape.h"
#include "conformance/base/page_source.h"
#include "conformance/base/text.h"
#include "conformance/readers/fuzz/findings.h"
#include "conformance/readers/page/page.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/run/runner.h"

namespace gguf::readers {
namespace {

constexpr char kPage[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{{style-hash}}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{title}}</title>
<style>{{style}}</style>
</head>
<body>
<header>
<h1>{{title}}</h1>
<p class="about">{{about}}</p>
</header>
<main>
{{problems}}
<section>
<h2>Groups, worst first</h2>
<div class="box" tabindex="0" role="region" aria-label="Groups">
{{table}}
</div>
</section>
<section id="failures">
<h2>Details</h2>
<p>Each command reads one file, in the folder of the run; replace <code>/path/to</code>.</p>
{{details}}
</section>
</main>
</body>
</html>
)";

std::string Shown(absl::string_view text, size_t most = 300) {
  return HtmlText(Escape(text, most));
}

std::string Block(const char* title, const std::string& text) {
  if (text.empty()) return "";
  return absl::StrCat("<h3>", title, "</h3><pre>", HtmlText(VisibleLines(text)), "</pre>\n");
}

std::string Row(const FuzzGroup& group, size_t number) {
  return absl::StrCat(
      "<tr><th scope=\"row\"><a href=\"#group-", number, "\"><span class=\"result r-",
      group.kind.find('-') == std::string::npos || group.kind == "memory-error" ? "unsafe"
                                                                                : "false-accept",
      "\">", Shown(group.kind), "</span></a></th><td>", Shown(group.message), "</td><td>",
      Shown(absl::StrJoin(group.frames, " < ")), "</td><td>",
      group.verdict == "valid" ? "valid" : Shown(absl::StrJoin(group.rules, ", ")), "</td><td>",
      group.count, "</td><td>", group.size, "</td></tr>\n");
}

std::string Details(const FuzzGroup& group, size_t number) {
  constexpr size_t kShownBytes = 1024;
  const std::string bytes = BytesFromHex(group.hex).value_or("").substr(0, kShownBytes);
  return absl::StrCat(
      "<details id=\"group-", number, "\"><summary><b>", Shown(group.kind), "</b> ",
      Shown(group.message), "</summary>\n<p>It ", HtmlText(Visible(VerdictWords(group))), ". ",
      Counted(group.count, "mutant"), ", first after ", absl::StrFormat("%.1f s", group.seconds),
      "; reduced to ", Counted(group.size, "byte"), ".<br><code>",
      HtmlText(Visible(group.reproduce)), "</code></p>\n", Block("Case", group.text),
      Block("Bytes", HexDump(bytes, 0)), Block("Standard error", group.output), "</details>\n");
}

}  // namespace

std::string FuzzHtml(const FuzzReport& report) {
  std::string rows, details;
  for (size_t i = 0; i < report.groups.size(); ++i) {
    rows += Row(report.groups[i], i + 1);
    details += Details(report.groups[i], i + 1);
  }
  const std::string table =
      rows.empty() ? "<p>None.</p>"
                   : absl::StrCat(
                         "<table><thead><tr><th scope=\"col\">Kind</th><th scope=\"col\">"
                         "What</th><th scope=\"col\">Where</th><th scope=\"col\">The file "
                         "breaks</th><th scope=\"col\">Mutants</th><th scope=\"col\">Bytes"
                         "</th></tr></thead><tbody>\n",
                         rows, "</tbody></table>");
  const std::string problems =
      report.incomplete.empty()
          ? ""
          : absl::StrCat("<section class=\"alert\" role=\"alert\"><strong>Not complete</strong>: ",
                         HtmlText(Visible(report.incomplete)), "</section>");
  const std::string about =
      absl::StrFormat("%s · %d executions · %.0f s · %s", Counted(report.groups.size(), "group"),
                      report.executions, report.seconds, report.date.substr(0, 10));
  const std::string title =
      absl::StrCat("Fuzzing ", report.reader.name, " ", report.reader.version);
  const PageSource page = {kPage, kReadersPage.style, "", kReadersPage.style_hash, ""};
  return absl::StrReplaceAll(WithStyleAndScript(page), {{"{{title}}", HtmlText(Visible(title))},
                                                        {"{{about}}", HtmlText(Visible(about))},
                                                        {"{{problems}}", problems},
                                                        {"{{table}}", table},
                                                        {"{{details}}", details}});
}

}  // namespace gguf::readers
