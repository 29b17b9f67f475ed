// OriginInput: what files are said to be made from, open while they are
// compared with it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_ORIGIN_INPUT_H_
#define GGUF_CONFORMANCE_GATE_ORIGIN_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/compare/origin.h"
#include "conformance/gate/base_input.h"
#include "parser/core/limits.h"

namespace gguf {

class OriginInput {
 public:
  // Opens a GGUF model, with its shards.  Errors: as BaseInput::Open(); and
  // FailedPrecondition for a URL, whose weights are not read, and when some
  // shards are missing.
  static absl::StatusOr<std::unique_ptr<OriginInput>> OpenBase(
      const std::string& path, const Limits& limits);

  // Reads the files of a Hugging Face folder.  FailedPrecondition, with the
  // path, when there is no config.json, or a file cannot be read.
  static absl::StatusOr<std::unique_ptr<OriginInput>> OpenSource(
      const std::string& folder, const Limits& limits);

  const Origin& origin() const { return *origin_; }
  // The files that were read.
  const std::vector<std::string>& paths() const { return paths_; }
  // Returns whether one of the files has changed.  Call it after each check.
  bool changed() const { return base_ != nullptr && base_->changed(); }

 private:
  OriginInput() = default;

  std::unique_ptr<BaseInput> base_;  // Null for a folder.
  std::optional<Origin> origin_;
  std::vector<std::string> paths_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_ORIGIN_INPUT_H_
