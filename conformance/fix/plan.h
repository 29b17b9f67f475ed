// MakePlan: how the files of a model are to be changed.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_FIX_PLAN_H_
#define GGUF_CONFORMANCE_FIX_PLAN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/base/bytes.h"
#include "conformance/compare/origin.h"
#include "conformance/fix/draft.h"
#include "conformance/rules/check_options.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {

// What the user asks to be changed, in this order.
struct Wishes {
  std::vector<std::string> set;        // KEY=VALUE, of the key's type, or of `set_type`.
  std::string set_type;                // Such as "u32" or "arr[str]"; empty for none.
  std::vector<std::string> set_token;  // NAME=TEXT: the id of the token with that text.
  std::string chat_template;           // Its text; nothing if `has_template` is false.
  bool has_template = false;
  std::vector<std::string> remove;  // Keys.

  bool empty() const { return set.empty() && set_token.empty() && remove.empty() && !has_template; }
};

struct FixOptions {
  CheckOptions check;
  Profile profile = *Profile::Find(Profile::kDefault);
  bool is_unsafe = false;      // Applies derived fixes.
  const Rule* only = nullptr;  // The rule whose findings are fixed; null for all.
  Wishes wishes;
  bool all = false;                // Applies fixes besides the wishes.
  const Origin* source = nullptr;  // A Hugging Face folder, or null.
  std::function<bool()> interrupted;
};

// One file of a plan.
struct PlannedFile {
  std::unique_ptr<Spliced> result;  // Null if it does not change.
  std::vector<Change> changes;
  FileReport before, after;
};

// Plans changes of a file, or of all shards of a set.  Each fix that is kept makes its rule have
// fewer findings, and none has a new one; tensors keep their bytes.
//
// Errors: InvalidArgument for a wish that cannot be understood; FailedPrecondition for files that
// cannot be changed, and when the wishes cause findings.  The sources outlive the result.
absl::StatusOr<std::vector<PlannedFile>> MakePlan(const std::vector<Source>& files,
                                                  const FixOptions& options);

// Returns the findings of `after` that `before` does not have, by rule and subject; the first few,
// as messages.
std::vector<std::string> NewFindings(const FileReport& before, const FileReport& after);

// Returns whether a fix may be applied.
bool MayFix(const Rule& rule, const FixOptions& options);

// Sets the `replacement` of the findings that a fix repairs by writing as many other bytes in their
// place.  `report` is that of the file, and of no shard.
void AddReplacements(const Source& file, FixOptions options, FileReport* report);

// Applies the wishes to a draft of a file.  Errors: InvalidArgument.
absl::Status ApplyWishes(const Wishes& wishes, const Model& model, Draft* draft);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_PLAN_H_
