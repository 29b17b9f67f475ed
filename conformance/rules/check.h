// A check: the code that looks for violations of one rule.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CHECK_H_
#define GGUF_CONFORMANCE_RULES_CHECK_H_

#include <initializer_list>
#include <utility>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "parser/core/bytes.h"
#include "parser/core/diagnostic.h"
#include "parser/core/rule.h"

namespace gguf {

// Reports violations of one rule: bound to it, so that a check can report under
// no other id.
class Finder {
 public:
  Finder(const Rule& rule, Diagnostics* out) : rule_(rule), out_(*out) {}

  // See Diagnostics::Add.
  void operator()(Range where, const Subject& subject, absl::string_view format,
                  std::initializer_list<Arg> args) {
    out_.Add(rule_, where, subject, format, args);
  }
  void operator()(const Location& at, absl::string_view format,
                  std::initializer_list<Arg> args) {
    (*this)(at.where, at.subject, format, args);
  }

  // Records that the rule could not be checked.  Reports list it, so nothing is
  // skipped silently.
  void CannotCheck(Reason why) { why_unchecked_ = std::move(why); }
  // Like CannotCheck(), for a rule that was checked elsewhere in the file.
  void CannotCheckRest(Reason why) {
    CannotCheck(std::move(why));
    checked_in_part_ = true;
  }
  const Reason& why_unchecked() const { return why_unchecked_; }
  bool checked_in_part() const { return checked_in_part_; }

 private:
  const Rule& rule_;
  Diagnostics& out_;
  Reason why_unchecked_;
  bool checked_in_part_ = false;
};

// The part of the file that a check reads.  If the parser stopped earlier, the
// check runs over what was read, and the report states that the rest was not
// checked.
enum class Needs {
  kName,     // The file's name.
  kMagic,    // The first four bytes.
  kHeader,   // The header.
  kKeys,     // The metadata.
  kTensors,  // The tensor table.
  kLayout,   // The place of the data: the whole table and the alignment.
  kPadding,  // The bytes between tensors' data: not with header_only.
  kWeights,  // The data itself, when asked for.
};

// The formats that a rule applies to.
enum class Files {
  kGguf,    // Also files that no parser recognizes.
  kLegacy,  // File::legacy is set.
  kAll,
};

// Returns why a check cannot run; empty when it can.  Reason::Silent() when the
// file has nothing that the rule is about.
using Requirement = Reason (*)(const Model& model);

// One row of a section's table.  The check runs on files of the formats that
// meet all requirements.
struct Check {
  using Run = void (*)(const Model& model, Finder& find);

  constexpr Check(const Rule* the_rule, Needs the_needs, Run the_run,
                  Files the_files, Requirement a = nullptr,
                  Requirement b = nullptr, Requirement c = nullptr)
      : rule(the_rule),
        needs(the_needs),
        run(the_run),
        files(the_files),
        requirements{a, b, c} {}
  constexpr Check(const Rule* the_rule, Needs the_needs, Run the_run,
                  Requirement a = nullptr, Requirement b = nullptr,
                  Requirement c = nullptr)
      : Check(the_rule, the_needs, the_run, Files::kGguf, a, b, c) {}

  bool IsAbout(const File& file) const {
    return files == Files::kAll ||
           (files == Files::kLegacy) == file.legacy.has_value();
  }

  // Returns why the first unmet requirement is not met; empty when all are.
  Reason WhyNot(const Model& model) const {
    for (const Requirement requirement : requirements) {
      Reason why = requirement == nullptr ? Reason() : requirement(model);
      if (!why.empty()) return why;
    }
    return {};
  }

  const Rule* rule;
  Needs needs;
  Run run;  // Null: the parser does it.
  Files files;
  Requirement requirements[3];
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CHECK_H_
