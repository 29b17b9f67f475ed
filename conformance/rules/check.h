// A check: the code that looks for violations of one rule.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CHECK_H_
#define GGUF_CONFORMANCE_RULES_CHECK_H_

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/rules/model.h"
#include "conformance/rules/reason.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

inline constexpr Reason kNotRequested = {"not requested",
                                         Reason::kNotRequested};

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

  // Says that the rule could not be judged, or not everywhere.  Reports list
  // it: nothing is passed over in silence.
  void CannotCheck(const Reason& why) {
    why_unchecked_ = std::string(why.text);
    meaning_ = why.meaning;
  }
  Reason why_unchecked() const { return {why_unchecked_, meaning_}; }

 private:
  const Rule& rule_;
  Diagnostics& out_;
  std::string why_unchecked_;
  Reason::Meaning meaning_ = Reason::kUnjudged;
};

// What a check looks at.  When the parser stopped before it, the check runs
// over what was read, and the report says that the rest was not checked.
enum class Needs {
  kName,     // The file's name.
  kMagic,    // The first four bytes.
  kHeader,   // The header.
  kKeys,     // The metadata.
  kTensors,  // The tensor table.
  kLayout,   // Where the data lies: the whole table and the alignment.
  kPadding,  // What stands between the data: not with header_only.
  kWeights,  // The data itself, when asked for.
};

// Which files a rule is about.  The others have not what it speaks of.
enum class Files {
  kGguf,    // And what is none of the ancestors either.
  kLegacy,  // The ancestors of GGUF: File::legacy is set.
  kAll,
};

// One row of a section's table.
struct Check {
  const Rule* rule;
  Needs needs;
  void (*run)(const Model& model, Finder& find);  // Null: the parser does it.
  Files files = Files::kGguf;

  bool IsAbout(const File& file) const {
    return files == Files::kAll ||
           (files == Files::kLegacy) == file.legacy.has_value();
  }
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CHECK_H_
