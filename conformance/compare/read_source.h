// ReadSource: derives from the files of a Hugging Face folder what a converter
// writes into the GGUF file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_
#define GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/compare/source_model.h"

namespace gguf {

// Returns the first `most` bytes of a file of the folder.  NotFound if there is
// no such file.
using ReadSourceFile = std::function<absl::StatusOr<std::string>(
    const std::string& name, uint64_t most)>;

// Reads config.json, which must be there, and, as far as they are,
// tokenizer.json, tokenizer_config.json, generation_config.json,
// chat_template.jinja, chat_template.json, model.safetensors or its index, and
// the headers of the *.safetensors.
//
// Errors, which name the file: those of `read`, and InvalidArgument for one
// that is not what its name says.
absl::StatusOr<SourceModel> ReadSource(const ReadSourceFile& read);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_
