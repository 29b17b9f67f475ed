// Renders a chat template, within a budget.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_INTERPRETER_H_
#define GGUF_CONFORMANCE_JINJA_INTERPRETER_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "conformance/base/json.h"
#include "conformance/jinja/machine.h"
#include "conformance/jinja/tree.h"

namespace gguf::jinja {

struct Rendering {
  enum Outcome {
    kRendered,
    kRaised,      // As Jinja2 raises, or the template itself.
    kUnknown,     // Jinja2 can do this, the interpreter cannot.
    kOverBudget,  // More steps or bytes than allowed, or nested too deep.
  };
  Outcome outcome = kRendered;
  std::string text;  // What was written, also before a failure.
  std::string error;
  size_t begin = 0, end = 0;  // The bytes of the template that failed.
  size_t steps = 0;
};

using Variables = std::vector<std::pair<std::string, Json>>;

// Renders as Jinja2 3.1 does in the environment of transformers: a sandbox with trim_blocks,
// lstrip_blocks, loop controls and generation, and with its own tojson, raise_exception and
// strftime_now.  A tree with errors raises the first one.
Rendering Render(const Tree& tree, const Variables& variables, const MachineOptions& options = {});

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_INTERPRETER_H_
