// JunitXml: writes JUnit XML in the dialect of Jenkins.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_
#define GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tinyxml2.h"

namespace gguf {

// A writer of JUnit XML.  Replaces characters that XML forbids.
class JunitXml {
 public:
  using Attributes = std::vector<std::pair<const char*, std::string>>;
  struct Counts {
    size_t tests, failures, errors, skipped;
  };

  JunitXml() { xml_.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\""); }

  void Open(const char* element, const Attributes& attributes = {});
  void OpenSuite(const std::string& name, const Counts& counts,
                 const Attributes& more = {});
  // Opens a test case of the suite.
  void OpenCase(const std::string& name, const Attributes& more = {});
  void Close() { xml_.CloseElement(); }
  // Adds an element, with a text unless it is empty.
  void Add(const char* element, const Attributes& attributes,
           const std::string& text = "");

  // Returns the output since the last call.
  std::string Take();

 private:
  tinyxml2::XMLPrinter xml_;  // Into its own memory.
  std::string suite_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_
