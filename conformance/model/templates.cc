// Finds a file's chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/templates.h"

#include <cstddef>

#include "absl/strings/strip.h"
#include "conformance/model/text_match.h"

namespace gguf {
namespace {

// More templates are not read.
constexpr size_t kMostTemplates = 1000;

}  // namespace

std::vector<Template> FindTemplates(const File& file) {
  std::vector<Template> templates;
  size_t bytes_left = jinja::kMostTemplateBytes;
  for (const KeyValue& kv : file.keys) {
    absl::string_view name = BeforeNul(kv.key.value);
    if (!absl::ConsumePrefix(&name, kChatTemplateKey)) continue;
    if (!name.empty() && !absl::ConsumePrefix(&name, ".")) continue;
    if (const auto text = file.String(kv)) {
      if (templates.size() == kMostTemplates) bytes_left = 0;
      templates.push_back({&kv, name, *text, jinja::Analyze(*text, &bytes_left)});
    }
  }
  return templates;
}

}  // namespace gguf
