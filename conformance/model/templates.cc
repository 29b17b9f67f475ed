// Finds a file's chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/templates.h"

#include "absl/strings/strip.h"

namespace gguf {

std::vector<Template> FindTemplates(const File& file) {
  std::vector<Template> templates;
  for (const KeyValue& kv : file.keys) {
    absl::string_view name = kv.key.value;
    if (!absl::ConsumePrefix(&name, kChatTemplateKey)) continue;
    if (!name.empty() && !absl::ConsumePrefix(&name, ".")) continue;
    if (const auto text = file.String(kv)) {
      templates.push_back({&kv, name, *text, jinja::ScanTemplate(*text)});
    }
  }
  return templates;
}

}  // namespace gguf
