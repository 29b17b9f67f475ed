// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"

#include "cli/terminal.h"
#include "parser/core/quote.h"

namespace gguf {

int FailWith(const absl::Status& status) {
  PrintError(Visible(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kCouldNotRun;
}

}  // namespace gguf
