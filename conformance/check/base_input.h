// BaseInput: a model with which files are compared, open while they are; and
// the files of a folder.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_BASE_INPUT_H_
#define GGUF_CONFORMANCE_CHECK_BASE_INPUT_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/base/limits.h"
#include "conformance/base/output_file.h"
#include "conformance/check/files.h"
#include "conformance/compare/origin.h"
#include "conformance/input/open.h"
#include "conformance/model/base_model.h"
#include "conformance/model/model.h"
#include "conformance/model/shard_set.h"
#include "conformance/rules/check_options.h"

namespace gguf {

// Names the files of an origin in messages.
inline constexpr char kOfComparison[] = "what the files are compared with";

class BaseInput {
 public:
  // What it is the base of.
  enum Use {
    kCompanions,   // Adapters and other files that need a model.
    kComparisons,  // Any files, which were made from it.
  };

  // Opens the base of the options, or their origin.  If it is a shard, the
  // other shards in its directory are included.
  //
  // Errors: FailedPrecondition, with the path, when Input::Open fails, when not
  // all keys and tensors can be read, when the base of companions itself needs
  // one, when an origin lacks shards or data, and for one at a URL: weights are
  // read from disk only.
  static absl::StatusOr<std::unique_ptr<BaseInput>> Open(const CheckOptions& options, Use use);

  const BaseModel& model() const { return *model_; }
  // The model as a file: the first shard, if there are several.
  const Model& whole() const { return *whole_; }
  // The paths of the model and its other shards.
  const std::vector<std::string>& paths() const { return paths_; }
  // Returns whether one of the files has changed.  Call it after each check.
  bool changed() const;

 private:
  BaseInput(const CheckOptions& options, Use use)
      : limits_(options.limits), unmapped_(!options.is_program), use_(use) {}
  // Reads a group.  Its file `named` is the base; the others may be unreadable.
  absl::Status Read(const FileGroup& group, const std::string& named);
  absl::StatusOr<Model*> ReadFile(const FoundFile& file);

  const Limits limits_;
  const bool unmapped_;
  const Use use_;
  std::vector<std::string> paths_;
  // Each member refers to earlier ones.
  std::deque<std::string> names_;
  std::deque<Input> inputs_;
  std::vector<std::unique_ptr<Model>> models_;
  std::optional<ShardSet> set_;
  const Model* whole_ = nullptr;
  std::optional<BaseModel> model_;
};

// Reads the files of the options' source, a folder, and adds them to `files`.
// FailedPrecondition, with the path, when there is no config.json, or a file
// cannot be read.
absl::StatusOr<std::unique_ptr<const Origin>> ReadFolder(const CheckOptions& options,
                                                         InputFiles* files);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_BASE_INPUT_H_
