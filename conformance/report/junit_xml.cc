// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/junit_xml.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/report/escape.h"

namespace gguf {

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
