// BaseInput: the model of --base, for as long as files are checked against it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_BASE_INPUT_H_
#define GGUF_CLI_BASE_INPUT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/input.h"
#include "conformance/rules/base_model.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/limits.h"

namespace gguf {

class BaseInput {
 public:
  // Errors: those of Input::Open; InvalidArgument for a file whose keys and
  // tensors cannot all be read.  They name the path.
  static absl::StatusOr<std::unique_ptr<BaseInput>> Open(
      const std::string& path, const Limits& limits);

  const BaseModel& model() const { return model_; }
  // See Input.
  bool damaged() const { return input_.damaged(); }

 private:
  BaseInput(Input input, const Limits& limits);

  // Each refers to the one before.
  const Input input_;
  Diagnostics found_;
  const File file_;
  const BaseModel model_;
};

}  // namespace gguf

#endif  // GGUF_CLI_BASE_INPUT_H_
