// Renderings: what a model's chat template writes for a fixed conversation.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_RENDERINGS_H_
#define GGUF_CONFORMANCE_MODEL_RENDERINGS_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/jinja/interpreter.h"
#include "conformance/model/templates.h"

namespace gguf {

// The contents of the messages.  Each is a word that no template writes of itself.
constexpr absl::string_view kSystemMark = "qsystemq", kFirstMark = "qfirstq",
                            kAnswerMark = "qanswerq", kLastMark = "qlastq";

// Lists and dicts can be changed, as llama.cpp allows.  Takes at most 50 ms for each rendering.
//
// Of the unnamed template, if it mentions the messages and has no error of syntax.
struct Renderings {
  const Template* of = nullptr;  // Null if there is none.
  // One turn of the user, with the generation prompt.
  jinja::Rendering one;
  // A system message, the user, an answer, the user.  Without the system message if the template
  // refuses it.
  bool has_system = true;
  jinja::Rendering turns;
  // The same without the generation prompt.
  jinja::Rendering without_prompt;

  // Returns what the template writes between two marks of `turns`; nothing if one of them is
  // missing.
  absl::string_view Between(absl::string_view first, absl::string_view second) const {
    const absl::string_view text = turns.text;
    const size_t begin = text.find(first);
    if (begin == absl::string_view::npos) return "";
    const absl::string_view rest = text.substr(begin + first.size());
    const size_t size = rest.find(second);
    return size == absl::string_view::npos ? "" : rest.substr(0, size);
  }
};

class Model;

// Returns the special tokens of a model, under the names that templates know.
jinja::Variables TokenVariables(const Model& model);

// Returns what the template of renderings() writes for the first of the fixed conversations, with
// the generation prompt; nothing if there is none.
std::optional<jinja::Rendering> RenderFirstConversation(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_RENDERINGS_H_
