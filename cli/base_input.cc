// SPDX-License-Identifier: Apache-2.0

#include "cli/base_input.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "parser/parse.h"
#include "parser/quote.h"

namespace gguf {

absl::StatusOr<std::unique_ptr<BaseInput>> BaseInput::Open(
    const std::string& path, const Limits& limits) {
  const std::string who = absl::StrCat("--base ", Quote(path), ": ");
  auto input = Input::Open(path, limits.stream_bytes);
  if (!input.ok()) {
    return absl::Status(input.status().code(),
                        absl::StrCat(who, input.status().message()));
  }
  std::unique_ptr<BaseInput> base(new BaseInput(*std::move(input), limits));
  const File& file = base->file_;
  if (file.legacy) {
    return absl::InvalidArgumentError(
        absl::StrCat(who, "is no GGUF file, which the model of an adapter is"));
  }
  if (file.progress < Progress::kTensors) {
    return absl::InvalidArgumentError(
        absl::StrCat(who, "cannot be read as a GGUF file: ", file.stop->why));
  }
  return base;
}

// What is wrong with the base is a question of its own: its findings are left.
BaseInput::BaseInput(Input input, const Limits& limits)
    : input_(std::move(input)),
      found_(1),
      file_(Parse(input_.bytes(), "", limits, &found_)),
      model_(file_) {}

}  // namespace gguf
