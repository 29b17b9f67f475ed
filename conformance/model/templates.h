// Templates: the chat templates of a file, and what the tree of each shows.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TEMPLATES_H_
#define GGUF_CONFORMANCE_MODEL_TEMPLATES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/jinja/analysis.h"
#include "parser/file.h"

namespace gguf {

// The key of the unnamed template.  The keys of named templates add a dot and
// the name.
constexpr absl::string_view kChatTemplateKey = "tokenizer.chat_template";

struct Template {
  const KeyValue* kv;
  absl::string_view name;  // Empty for the unnamed template.
  absl::string_view text;
  jinja::Analysis analysis;

  // Returns the position in the file of bytes [begin, end) of the text.
  Range Where(size_t begin, size_t end) const {
    const uint64_t start = kv->value.end - text.size();
    return {start + begin, start + end};
  }
};

// Returns the templates in all such keys that hold strings, in the order of the
// file, which must outlive the result.
std::vector<Template> FindTemplates(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TEMPLATES_H_
