// JunitXml: the elements of JUnit XML, in the dialect that Jenkins reads.
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

// Begins with the declaration.  Characters that XML does not allow are
// replaced.
class JunitXml {
 public:
  using Attributes = std::vector<std::pair<const char*, std::string>>;

  struct Counts {
    size_t tests = 0;
    size_t failures = 0;
    size_t errors = 0;
    size_t skipped = 0;
  };

  // What a test case has to say.
  struct Outcome {
    const char* element;  // "failure", "error", "skipped" or "system-out".
    std::string message;  // Not of system-out.
    std::string type;     // Of failures and errors.
    std::string text;     // May be empty.
  };

  JunitXml() { xml_.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\""); }

  void Open(const char* element, const Attributes& attributes = {});
  void Close() { xml_.CloseElement(); }
  void Text(const std::string& text);

  void OpenSuite(const std::string& name, const Counts& counts,
                 const Attributes& more = {});
  // A test case of the suite, with `more` attributes.  A null outcome is that
  // of a case that passes.
  void AddCase(const std::string& name, const Attributes& more,
               const Outcome* outcome);

  // What was written since the last call.
  std::string Take();

 private:
  tinyxml2::XMLPrinter xml_;  // Into its own memory.
  std::string suite_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JUNIT_XML_H_
