// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/visible.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "conformance/json/record.h"
#include "conformance/readers/run_members.h"
#include "parser/quote.h"
#include "parser/utf8.h"

namespace gguf::readers {
namespace {

// Visits all members of a record, and changes the texts.
struct TextsVisitor {
  void operator()(const char* name, std::string& text, Words = {}) {
    const absl::string_view member = name;
    const bool has_lines = member == "stderr" || member == "text";
    text = has_lines ? VisibleLines(text) : VisibleText(text);
  }
  // Its "text" is a line.
  void operator()(const char*, Rejection& rejection) {
    rejection.type = VisibleText(rejection.type);
    rejection.text = VisibleText(rejection.text);
  }
  void operator()(const char*, bool) {}
  void operator()(const char*, uint64_t) {}
  void operator()(const char*, double) {}
  void operator()(const char*, CaseResult) {}
  void operator()(const char*, LevelState) {}

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

std::string Visible(absl::string_view text, bool keep_lines) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code_point = NextCodePoint(text, &at);
    const absl::string_view bytes = text.substr(begin, at - begin);
    const bool is_layout = code_point == '\n' || code_point == '\t';
    const bool shown = (is_layout && keep_lines) ||
                       !(code_point == kBadCodePoint || IsControl(code_point) ||
                         IsInvisible(code_point));
    absl::StrAppend(&out, shown ? std::string(bytes) : Escape(bytes));
  }
  return out;
}

}  // namespace

std::string VisibleText(absl::string_view text) { return Visible(text, false); }

std::string VisibleLines(absl::string_view text) { return Visible(text, true); }

void MakeVisible(RunLog* log) {
  TextsVisitor visitor;
  VisitMembers(visitor, log->header);
  for (CaseRecord& record : log->cases) VisitMembers(visitor, record);
  if (log->footer) VisitMembers(visitor, *log->footer);
}

}  // namespace gguf::readers
