// Formats and stores diagnostics.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/diagnostic.h"

#include <algorithm>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

// Returns the value as it appears in the `args` of a report.
std::string Plain(const Arg::Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) {
    return absl::StrCat(*number);
  }
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return absl::StrCat(*number);
  }
  if (const auto* number = std::get_if<absl::uint128>(&value)) {
    std::ostringstream out;
    out << *number;
    return out.str();
  }
  if (const auto* text = std::get_if<absl::string_view>(&value)) {
    return Escape(*text);
  }
  return Visible(std::get<Trusted>(value).text);  // It may contain a name.
}

std::string InMessage(const Arg::Value& value) {
  if (const auto* text = std::get_if<absl::string_view>(&value)) {
    return Quote(*text);
  }
  return Plain(value);
}

const Arg& FindArg(absl::string_view name, std::initializer_list<Arg> args) {
  for (const Arg& arg : args) {
    if (arg.name == name) return arg;
  }
  Assert(false, "a message names an argument that it was not given");
  return *args.begin();
}

std::string Render(absl::string_view format, std::initializer_list<Arg> args) {
  std::string out;
  out.reserve(format.size());
  while (true) {
    const size_t open = format.find('{');
    absl::StrAppend(&out, format.substr(0, open));
    if (open == absl::string_view::npos) return out;
    const size_t close = format.find('}', open);
    Assert(close != absl::string_view::npos, "a message has an unclosed brace");
    const absl::string_view inside = format.substr(open + 1, close - open - 1);
    const size_t space = std::min(inside.find(' '), inside.size());
    const std::string shown = InMessage(FindArg(inside.substr(0, space), args).value);
    const size_t bar = inside.find('|');
    absl::StrAppend(&out, shown);
    if (bar != absl::string_view::npos) {
      absl::StrAppend(&out, shown == "1" ? inside.substr(space, bar - space) : " ",
                      shown == "1" ? "" : inside.substr(bar + 1));
    }
    format.remove_prefix(close + 1);
  }
}

}  // namespace

Subject Subject::Of(absl::string_view new_field) const {
  Subject subject = *this;
  subject.field = new_field;
  return subject;
}

Subject Subject::At(uint64_t new_element) const {
  Subject subject = *this;
  subject.is_element = true;
  subject.element = new_element;
  return subject;
}

std::string Subject::Path() const {
  std::string path(table);
  if (is_entry) {
    absl::StrAppend(&path, "[", name.empty() ? absl::StrCat("#", index) : Escape(name), "]");
  }
  if (!field.empty()) absl::StrAppend(&path, ".", field);
  if (is_element) absl::StrAppend(&path, "[", element, "]");
  return path;
}

void Diagnostics::Add(const Rule& rule, Range where, const Subject& subject,
                      absl::string_view format, std::initializer_list<Arg> args) {
  Assert(where.begin <= where.end, "a diagnostic's range ends before it begins");
  if (++CountOf(rule) > keep_) return;
  Diagnostic diagnostic;
  diagnostic.rule = &rule;
  diagnostic.where = where;
  diagnostic.subject = subject.Path();
  diagnostic.message = Render(format, args);
  diagnostic.args.reserve(args.size());
  for (const Arg& arg : args) {
    diagnostic.args.emplace_back(std::string(arg.name), Plain(arg.value));
  }
  kept_.push_back(std::move(diagnostic));
}

uint64_t Diagnostics::Count(const Rule& rule) const {
  for (const auto& [counted, count] : counts_) {
    if (counted == &rule) return count;
  }
  return 0;
}

// Searches from the end: files are checked rule by rule, so the rule counted
// last is the likeliest.
uint64_t& Diagnostics::CountOf(const Rule& rule) {
  for (auto counted = counts_.rbegin(); counted != counts_.rend(); ++counted) {
    if (counted->first == &rule) return counted->second;
  }
  counts_.emplace_back(&rule, 0);
  return counts_.back().second;
}

}  // namespace gguf
