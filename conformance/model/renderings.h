// Renderings: what a model's chat template writes for a fixed conversation.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_RENDERINGS_H_
#define GGUF_CONFORMANCE_MODEL_RENDERINGS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/jinja/interpreter.h"
#include "conformance/model/templates.h"
#include "conformance/model/vocabulary.h"
#include "parser/file.h"

namespace gguf {

// The contents of the messages.  Each is a word that no template writes of itself.
constexpr absl::string_view kSystemMark = "qsystemq", kFirstMark = "qfirstq",
                            kAnswerMark = "qanswerq", kLastMark = "qlastq";

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
    const size_t begin = turns.text.find(first);
    const size_t end = turns.text.find(second, begin == std::string::npos ? begin : begin + 1);
    if (begin == std::string::npos || end == std::string::npos) return "";
    return absl::string_view(turns.text).substr(begin + first.size(), end - begin - first.size());
  }
};

// Lists and dicts can be changed, as llama.cpp allows.  Takes at most 50 ms.
Renderings RenderTemplate(const File& file, const std::vector<Template>& templates,
                          const Vocabulary& vocabulary);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_RENDERINGS_H_
