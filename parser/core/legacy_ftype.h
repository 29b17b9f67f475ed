// The ftypes of legacy (pre-GGUF) formats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LEGACY_FTYPE_H_
#define GGUF_PARSER_CORE_LEGACY_FTYPE_H_

#include <cstdint>
#include <optional>

namespace gguf {

// Returns the id of the type of most tensors, in the file's TypeScheme; nothing
// for a number that was never assigned.
//
// Sources: enum llama_ftype of llama.cpp, until August 2023; enum ggml_ftype,
// which whisper.cpp's files still use.
std::optional<uint32_t> TypeOfLlamaFtype(uint32_t ftype);
std::optional<uint32_t> TypeOfGgmlFtype(uint32_t ftype);

// ggml's ftypes are combined with the quantization version in one number.
inline constexpr uint32_t kFtypesPerVersion = 1000;

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_FTYPE_H_
