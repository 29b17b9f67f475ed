// Escaping for the formats in which reports are shown.
//
// Messages and subjects are already escaped (parser/core/quote.h).  These
// functions are for other text, such as paths.  For JSON, see
// conformance/json/json_text.h.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_ESCAPE_H_
#define GGUF_CONFORMANCE_REPORT_ESCAPE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// Escapes text for HTML content and quoted attributes.
std::string HtmlText(absl::string_view text);

// Replaces characters that XML 1.0 forbids, and bytes that are not UTF-8, with
// U+FFFD.  The XML writer escapes markup.
std::string XmlText(absl::string_view text);

// Returns a code span in GitHub's Markdown that can be used in a table cell.
// Nothing in it is taken for markup, a link or a mention.
std::string MarkdownCode(absl::string_view text);

// Returns a row of a table, with its line break.
std::string MarkdownRow(const std::vector<std::string>& cells);

// Escapes the message of a GitHub workflow command, or the value of one of its
// properties.
std::string GithubMessage(absl::string_view text);
std::string GithubProperty(absl::string_view text);

// Returns a path as the path of a URI (RFC 3986): other bytes become %XX.
std::string UriPath(absl::string_view path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_ESCAPE_H_
