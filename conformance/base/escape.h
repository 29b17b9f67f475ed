// Escaping for the formats in which reports are shown, and JUnit XML.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_ESCAPE_H_
#define GGUF_CONFORMANCE_BASE_ESCAPE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// Escaping for the formats in which reports are shown.
//
// Messages and subjects are already escaped (conformance/base/text.h).  These
// functions are for other text, such as paths.  For JSON, see
// conformance/base/json.h.

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

// JunitXml: writes JUnit XML in the dialect of Jenkins.

// A writer of JUnit XML.  Replaces characters that XML forbids.
class JunitXml {
 public:
  using Attributes = std::vector<std::pair<const char*, std::string>>;
  struct Counts {
    size_t tests, failures, errors, skipped;
  };

  void Open(const char* element, const Attributes& attributes = {});
  void OpenSuite(const std::string& name, const Counts& counts, const Attributes& more = {});
  // Opens a test case of the suite.
  void OpenCase(const std::string& name, const Attributes& more = {});
  void Close();
  // Adds an element, with a text unless it is empty.
  void Add(const char* element, const Attributes& attributes, const std::string& text = "");

  // Returns the output since the last call; the start tag of an open element
  // may follow with the next.
  std::string Take();

 private:
  // Ends the start tag of the innermost element, if it is not complete.
  void EndTag();

  std::string xml_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
  std::vector<const char*> open_;  // Elements.
  bool in_tag_ = false;            // In the start tag of the innermost.
  bool has_text_ = false;          // Of the innermost.
  std::string suite_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_ESCAPE_H_
