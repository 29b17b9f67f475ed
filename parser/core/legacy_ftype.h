// What the ftypes of GGUF's ancestors stand for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LEGACY_FTYPE_H_
#define GGUF_PARSER_CORE_LEGACY_FTYPE_H_

#include <cstdint>
#include <optional>

namespace gguf {

// The id of the tensor type that most tensors have, in the file's TypeScheme.
// Nothing for a number that was never given out.
//
// Sources: enum llama_ftype of llama.cpp, until August 2023; enum ggml_ftype,
// which whisper.cpp's files have to this day.
std::optional<uint32_t> TypeOfLlamaFtype(uint32_t ftype);
std::optional<uint32_t> TypeOfGgmlFtype(uint32_t ftype);

// ggml's ftypes stand in a file together with the version of quantization.
inline constexpr uint32_t kFtypesPerVersion = 1000;

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_FTYPE_H_
