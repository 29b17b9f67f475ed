// For any config.json, tokenizer.json, tokenizer_config.json and generation_config.json, reading
// the folder terminates with an error that names a file, or with a model whose ids are not
// negative and whose tokens are bounded by the size of the files.  A second run gives the same.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "fuzz/target.h"

namespace gguf {
namespace {

constexpr absl::string_view kNames[] = {"config.json", "tokenizer.json", "tokenizer_config.json",
                                        "generation_config.json"};

// The parts of an input are the files, in this order.
absl::StatusOr<SourceModel> Read(const std::vector<std::string>& files) {
  return ReadSource([&](const std::string& name, uint64_t most) -> absl::StatusOr<std::string> {
    for (size_t i = 0; i < files.size(); ++i) {
      if (name == kNames[i]) return files[i].substr(0, most);
    }
    return absl::NotFoundError("no such file");
  });
}

void RequireSound(const SourceModel& model, size_t size) {
  for (const SourceModel::Key& key : model.keys) {
    Require(!key.from.empty());
    if (!absl::EndsWith(key.key, "_token_id")) continue;
    Require(std::get<int64_t>(key.value) >= 0);
    for (const SourceValue& other : key.also) Require(std::get<int64_t>(other) >= 0);
  }
  for (const int64_t id : model.end_tokens) Require(id >= 0);
  if (!model.tokens) return;
  Require(model.tokens->texts.size() <= size);
  Require(model.tokens->least <= model.tokens->texts.size());
  Require(!model.tokens->most || *model.tokens->most >= model.tokens->texts.size());
}

}  // namespace
}  // namespace gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto files = gguf::SplitFiles({reinterpret_cast<const char*>(data), size});
  const auto model = gguf::Read(files);
  const auto again = gguf::Read(files);
  gguf::Require(model.status() == again.status());
  if (!model.ok()) {
    gguf::Require(absl::StrContains(model.status().message(), ".json"));
    return 0;
  }
  gguf::RequireSound(*model, size);
  gguf::Require(model->keys.size() == again->keys.size());
  for (size_t i = 0; i < model->keys.size(); ++i) {
    gguf::Require(model->keys[i].key == again->keys[i].key);
  }
  gguf::Require(model->not_compared == again->not_compared);
  return 0;
}
