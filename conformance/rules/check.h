// What a check is given: the file with what it is compared with, and a Finder
// for the violations.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CHECK_H_
#define GGUF_CONFORMANCE_RULES_CHECK_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/model/digest.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/model/tensor_data.h"
#include "conformance/model/whole_digest.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

class BaseModel;
struct Comparison;
struct Policy;

// The argument of a finding that is the one value to write for its key, or, with kWriteKey, for
// that key; empty if there is none, or several are possible.
inline constexpr char kWrite[] = "write";
inline constexpr char kWriteKey[] = "write_key";

struct CheckContext {
  const Model& model;

  // What the run compares the file with.
  //
  // The model of --base, or null: the base of an adapter, a control vector, a
  // projector or a draft model.
  const BaseModel* base = nullptr;
  // How the file differs from the one that it is said to be made from; null if
  // none was given.
  const Comparison* comparison = nullptr;
  // The user's policy, in addition to the format; null if none.
  const Policy* policy = nullptr;

  // Whether the run was asked to compare digests; the expected ones, and the
  // computed ones: null if none were given, and nothing if they could not be
  // computed.
  bool compares_digests = false;
  const FileDigest* wanted_digest = nullptr;
  std::optional<FileDigest> found_digest = {};

  // The same for the SHA-256 of the whole file: nothing if it was not asked
  // for, or is not known.
  bool compares_sha256 = false;
  std::optional<ExpectedSha256> wanted_sha256 = {};
  std::optional<std::string> found_sha256 = {};

  // The scans of the file's tensors, by index (Needs::kWeights).
  std::vector<TensorScan> scans = {};
};

// Reports violations of one rule: bound to it, so that a check can report under
// no other id.
class Finder {
 public:
  Finder(const Rule& rule, Diagnostics* out) : rule_(rule), out_(*out) {}

  const Rule& rule() const { return rule_; }

  // See Diagnostics::Add.
  void operator()(Range where, const Subject& subject, absl::string_view format,
                  std::initializer_list<Arg> args) {
    out_.Add(rule_, where, subject, format, args);
  }
  void operator()(const Location& at, absl::string_view format, std::initializer_list<Arg> args) {
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

// Returns whether a rule applies to files of this format.
inline bool IsAbout(const Rule& rule, const File& file) {
  return rule.files == Files::kAll || (rule.files == Files::kLegacy) == file.legacy.has_value();
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CHECK_H_
