// SourceFiles: the JSON documents of a Hugging Face folder.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_SOURCE_FILES_H_
#define GGUF_CONFORMANCE_COMPARE_SOURCE_FILES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "nlohmann/json.hpp"

namespace gguf {

// Objects are sorted: vocabularies are large.
using SourceJson = nlohmann::json;

struct SourceFiles {
  const ReadSourceFile& read;
  SourceJson config;                       // With the members of its text_config.
  SourceJson tokenizer, tokenizer_config;  // Null if absent.
};

// Returns a document, or null if there is no such file.
absl::StatusOr<SourceJson> ReadJson(const ReadSourceFile& read, const std::string& name);

// Returns a member of an object; null if it is not there, or null itself.
const SourceJson* FindMember(const SourceJson& json, absl::string_view name);

// Returns whether a value is an integer that fits int64_t.
bool IsInteger(const SourceJson& json);

// Returns the id of a token or nothing: not for a null pointer, a negative number, one beyond
// int64_t, or another type.
std::optional<int64_t> IdIn(const SourceJson* json);

// Returns a text, or the member "content" of an object; nothing for others.
std::optional<std::string> ContentOf(const SourceJson* json);

// Adds the scaling of the position embedding, as keys or as a tensor.
void AddRope(const SourceFiles& files, SourceModel* model);

// Adds the tokens and merges.
void AddTokens(const SourceFiles& files, SourceModel* model);

// Adds the special tokens, and whether they begin and end a text.
absl::Status AddSpecialTokens(const SourceFiles& files, SourceModel* model);

// Adds the chat templates.
absl::Status AddTemplates(const SourceFiles& files, SourceModel* model);

// Adds the tensors of the *.safetensors.
absl::Status AddTensors(const SourceFiles& files, SourceModel* model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_SOURCE_FILES_H_
