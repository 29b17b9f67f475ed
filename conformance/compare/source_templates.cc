// Reads the chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/compare/source_files.h"

namespace gguf {
namespace {

constexpr char kKey[] = "tokenizer.chat_template";

// Returns the name of a template as in the key.
std::string KeyName(std::string name) {
  const auto is_other = [](char c) { return !absl::ascii_isalnum(c); };
  // One for each character, not for each byte of UTF-8.
  const auto is_rest = [](char c) { return (c & 0xC0) == 0x80; };
  name.erase(std::remove_if(name.begin(), name.end(), is_rest), name.end());
  std::replace_if(name.begin(), name.end(), is_other, '_');
  return name;
}

// Adds a template, or a list of named ones.
void AddTemplate(const SourceJson& json, const char* from, SourceModel* model) {
  if (json.is_string()) {
    model->keys.push_back({kKey, json.get<std::string>(), from});
  }
  if (!json.is_array()) return;
  for (const SourceJson& one : json) {
    const SourceJson* name = FindMember(one, "name");
    const SourceJson* text = FindMember(one, "template");
    if (name == nullptr || !name->is_string() || text == nullptr ||
        !text->is_string()) {
      continue;
    }
    const std::string in_key = KeyName(name->get<std::string>());
    if (in_key.empty()) continue;
    model->keys.push_back(
        {in_key == "default" ? kKey : absl::StrCat(kKey, ".", in_key),
         text->get<std::string>(), from});
  }
}

}  // namespace

// tokenizer_config.json counts, then chat_template.jinja, then
// chat_template.json.
absl::Status AddTemplates(const SourceFiles& files, SourceModel* model) {
  constexpr char kMember[] = "chat_template";
  constexpr char kJinja[] = "chat_template.jinja";
  constexpr char kJson[] = "chat_template.json";
  constexpr uint64_t kMostBytes = 1 << 24;
  if (const SourceJson* json = FindMember(files.tokenizer_config, kMember)) {
    AddTemplate(*json, "tokenizer_config.json", model);
    return absl::OkStatus();
  }
  const auto jinja = files.read(kJinja, kMostBytes);
  if (jinja.ok()) {
    // The converter reads it as a text file.
    model->keys.push_back(
        {kKey, absl::StrReplaceAll(*jinja, {{"\r\n", "\n"}, {"\r", "\n"}}),
         kJinja});
    return absl::OkStatus();
  }
  if (!absl::IsNotFound(jinja.status())) return jinja.status();
  const auto json = ReadJson(files.read, kJson);
  if (!json.ok()) return json.status();
  if (const SourceJson* text = FindMember(*json, kMember)) {
    AddTemplate(*text, kJson, model);
  } else {
    model->not_compared.emplace_back(CompareGroup::kTemplate,
                                     "the source has no chat template");
  }
  return absl::OkStatus();
}

}  // namespace gguf
