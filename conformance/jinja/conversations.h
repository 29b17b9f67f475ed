// Fixed conversations that chat templates are rendered with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_CONVERSATIONS_H_
#define GGUF_CONFORMANCE_JINJA_CONVERSATIONS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/json.h"
#include "conformance/jinja/interpreter.h"

namespace gguf::jinja {

struct Conversation {
  absl::string_view name;
  absl::string_view messages;  // JSON, as chat interfaces take them.  No two contents are equal.
  absl::string_view tools;     // JSON; empty if there are none.
};

absl::Span<const Conversation> FixedConversations();

// Returns the variables that transformers passes to a template, besides the tokens; `tools` may be
// null.
Variables ChatVariables(const Json& messages, const Json& tools, bool add_generation_prompt);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_CONVERSATIONS_H_
