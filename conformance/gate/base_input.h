// BaseInput: a model with which files are compared, open while they are: that
// of
// --base, or the base of `ggufcheck compare`.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_BASE_INPUT_H_
#define GGUF_CONFORMANCE_GATE_BASE_INPUT_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/gate/files.h"
#include "conformance/input/open.h"
#include "conformance/model/base_model.h"
#include "conformance/model/model.h"
#include "conformance/model/shard_set.h"
#include "parser/core/limits.h"

namespace gguf {

class BaseInput {
 public:
  // What it is the base of.
  enum Use {
    kCompanions,   // Adapters and other files that need a model.
    kComparisons,  // Any files, which were made from it.
  };

  // Opens the base, as CheckRequest::unmapped says.  If it is a shard, the
  // other shards in its directory are included.
  //
  // Errors: FailedPrecondition, with the path, when Input::Open fails, when not
  // all keys and tensors can be read, and when the file itself needs a base.
  static absl::StatusOr<std::unique_ptr<BaseInput>> Open(
      const std::string& path, const Limits& limits, bool unmapped = false,
      Use use = kCompanions);

  const BaseModel& model() const { return *model_; }
  // The model as a file: the first shard, if there are several.
  const Model& whole() const { return *whole_; }
  // The paths of the model and its other shards.
  const std::vector<std::string>& paths() const { return paths_; }
  // Returns whether one of the files has changed.  Call it after each check.
  bool changed() const;

 private:
  explicit BaseInput(bool unmapped) : unmapped_(unmapped) {}
  // Reads a group.  Its file `named` is the base; the others may be unreadable.
  absl::Status Read(const FileGroup& group, const std::string& named,
                    const Limits& limits, Use use);
  absl::StatusOr<Model*> ReadFile(const FoundFile& file, const Limits& limits);

  const bool unmapped_;
  std::vector<std::string> paths_;
  // Each member refers to earlier ones.
  std::deque<std::string> names_;
  std::deque<Input> inputs_;
  std::vector<std::unique_ptr<Model>> models_;
  std::optional<ShardSet> set_;
  const Model* whole_ = nullptr;
  std::optional<BaseModel> model_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_BASE_INPUT_H_
