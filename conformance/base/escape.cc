// Escapes the special characters of each output format.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/escape.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/text.h"

namespace gguf {

std::string HtmlText(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string XmlText(absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code_point = NextCodePoint(text, &at);
    const bool is_space = code_point == '\t' || code_point == '\n' || code_point == '\r';
    const bool is_allowed = (code_point >= 0x20 && code_point < 0xFFFE) ||
                            (code_point >= 0x10000 && code_point <= 0x10FFFF);
    absl::StrAppend(&out, is_space || is_allowed ? text.substr(begin, at - begin) : "\uFFFD");
  }
  return out;
}

std::string MarkdownCode(absl::string_view text) {
  // The fence is longer than any run of backticks inside.
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  // An unescaped bar ends the cell, even in a code span.
  const std::string inside = absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}, {"\r", " "}});
  return absl::StrCat(fence, " ", inside, " ", fence);
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

std::string GithubMessage(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string GithubProperty(absl::string_view text) {
  return absl::StrReplaceAll(GithubMessage(text), {{":", "%3A"}, {",", "%2C"}});
}

std::string UriPath(absl::string_view path) {
  std::string out;
  for (const char c : path) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-._~/", c)) {
      out += c;
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<uint8_t>(c));
    }
  }
  return out;
}

namespace {

// Returns the text as the contents of an element.
std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(XmlText(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\r", "&#13;"}});
}

// Returns the text as the value of an attribute, in which readers would turn
// line breaks into spaces.
std::string EscapedValue(const std::string& text) {
  return absl::StrReplaceAll(Escaped(text),
                             {{"\"", "&quot;"}, {"'", "&apos;"}, {"\n", "&#10;"}, {"\t", "&#9;"}});
}

}  // namespace

void JunitXml::EndTag() {
  if (in_tag_) absl::StrAppend(&xml_, ">");
  in_tag_ = false;
}

void JunitXml::Open(const char* element, const Attributes& attributes) {
  EndTag();
  absl::StrAppend(&xml_, "\n", std::string(4 * open_.size(), ' '), "<", element);
  for (const auto& [name, value] : attributes) {
    absl::StrAppend(&xml_, " ", name, "=\"", EscapedValue(value), "\"");
  }
  open_.push_back(element);
  in_tag_ = true;
  has_text_ = false;
}

void JunitXml::Close() {
  const std::string element = open_.back();
  open_.pop_back();
  if (in_tag_) {
    absl::StrAppend(&xml_, "/>");
  } else {
    if (!has_text_) {
      absl::StrAppend(&xml_, "\n", std::string(4 * open_.size(), ' '));
    }
    absl::StrAppend(&xml_, "</", element, ">");
  }
  if (open_.empty()) absl::StrAppend(&xml_, "\n");
  in_tag_ = has_text_ = false;
}

void JunitXml::OpenSuite(const std::string& name, const Counts& counts, const Attributes& more) {
  suite_ = name;
  Attributes attributes = {{"name", name},
                           {"tests", absl::StrCat(counts.tests)},
                           {"failures", absl::StrCat(counts.failures)},
                           {"errors", absl::StrCat(counts.errors)},
                           {"skipped", absl::StrCat(counts.skipped)}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  Open("testsuite", attributes);
}

void JunitXml::OpenCase(const std::string& name, const Attributes& more) {
  Attributes attributes = {{"name", name}, {"classname", suite_}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  Open("testcase", attributes);
}

void JunitXml::Add(const char* element, const Attributes& attributes, const std::string& text) {
  Open(element, attributes);
  if (!text.empty()) {
    EndTag();
    absl::StrAppend(&xml_, Escaped(text));
    has_text_ = true;
  }
  Close();
}

std::string JunitXml::Take() { return std::exchange(xml_, ""); }

}  // namespace gguf
