// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/junit_xml.h"

#include "absl/strings/str_cat.h"
#include "conformance/report/escape.h"

namespace gguf {

void JunitXml::Open(const char* element, const Attributes& attributes) {
  xml_.OpenElement(element);
  for (const auto& [name, value] : attributes) {
    xml_.PushAttribute(name, XmlText(value).c_str());
  }
}

void JunitXml::OpenSuite(const std::string& name, const Counts& counts,
                         const Attributes& more) {
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

void JunitXml::Add(const char* element, const Attributes& attributes,
                   const std::string& text) {
  Open(element, attributes);
  if (!text.empty()) xml_.PushText(XmlText(text).c_str());
  Close();
}

std::string JunitXml::Take() {
  std::string text = xml_.CStr();
  xml_.ClearBuffer(false);
  return text;
}

}  // namespace gguf
