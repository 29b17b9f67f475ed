// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/visible.h"

#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/json/record.h"
#include "conformance/readers/run/run_members.h"
#include "parser/core/quote.h"

namespace gguf::readers {
namespace {

// Visits all members of a record and changes its texts.
struct TextsVisitor {
  void operator()(const char* name, std::string& text, Words = {}) {
    const absl::string_view member = name;
    const bool has_lines = member == "stderr" || member == "text";
    text = has_lines ? VisibleLines(text) : Visible(text);
  }
  // Its "text" is a single line.
  void operator()(const char*, Rejection& rejection) {
    rejection.type = Visible(rejection.type);
    rejection.text = Visible(rejection.text);
  }
  void operator()(const char*, bool) {}
  void operator()(const char*, uint64_t) {}
  void operator()(const char*, double) {}
  void operator()(const char*, CaseResult) {}
  void operator()(const char*, std::array<LevelState, kLevels>&) {}

  template <class T>
  void operator()(const char* name, std::vector<T>& values) {
    for (T& value : values) (*this)(name, value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <class T>
  void operator()(const char*, T& record) {
    VisitMembers(*this, record);
  }
};

}  // namespace

void MakeVisible(RunLog* log) {
  TextsVisitor visitor;
  VisitMembers(visitor, log->header);
  for (CaseRecord& record : log->cases) VisitMembers(visitor, record);
  if (log->footer) VisitMembers(visitor, *log->footer);
}

}  // namespace gguf::readers
