// JunitXml: writes JUnit XML in the dialect of Jenkins.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_
#define GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

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

#endif  // GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_
