// Escaping for the places that reports are shown in.
//
// Messages and subjects arrive already escaped (parser/core/quote.h).  These guard
// what does not: paths, for example.  JSON has conformance/json/json_text.h.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_ESCAPE_H_
#define GGUF_CONFORMANCE_REPORT_ESCAPE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// For the texts and the quoted attributes of HTML.
std::string HtmlText(absl::string_view text);

// What XML 1.0 allows: any other character, and bytes that are no UTF-8, become
// U+FFFD.  Whoever writes the XML escapes its markup.
std::string XmlText(absl::string_view text);

// A code span of GitHub's Markdown, fit for the cell of a table: nothing in it
// is markup, a link or somebody's name.
std::string MarkdownCode(absl::string_view text);

// A row of a table, with its line break.
std::string MarkdownRow(const std::vector<std::string>& cells);

// Behind the colons of a workflow command of GitHub, or as the value of one of
// its properties.
std::string GithubMessage(absl::string_view text);
std::string GithubProperty(absl::string_view text);

// A path as the path of a URI (RFC 3986): other bytes are %XX.
std::string UriPath(absl::string_view path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_ESCAPE_H_
