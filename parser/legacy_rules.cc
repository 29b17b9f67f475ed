// Wording of the rules that the parser of legacy (pre-GGUF) formats enforces.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy_rules.h"

namespace gguf {

constexpr Rule kLegacyVersionKnown = {
    .id = "legacy-version-known",
    .severities = Everywhere(kError),
    .summary =
        "The version of a GGMF file shall be 1, that of a GGJT file 1, 2 or 3, and that of an "
        "rwkv.cpp file 100 or 101.",
    .why =
        "The version defines the tensors' types; GGMF and rwkv.cpp share a magic, and only the "
        "version distinguishes them.",
    .repair = "Write the version that matches the file's layout.",
    .citation =
        "llama.cpp's reader of 2023; rwkv.cpp's FILE_FORMAT.md: \"Can be either 100 or 101\".",
    .scope = Scope::kContainer,
    .needs = Needs::kHeader,
    .files = Files::kLegacy};

constexpr Rule kLegacyCountsFit = {
    .id = "legacy-counts-fit",
    .severities = Everywhere(kError),
    .summary =
        "The file shall be long enough for the tokens, filters and layers that its header "
        "announces.",
    .why =
        "Readers that allocate memory for an unchecked count run out of memory or overflow the "
        "heap.",
    .repair = "Correct the count; if the file is truncated, fetch it again.",
    .citation =
        "Follows from the layout; whisper.cpp allocates n_mel times n_fft floats unchecked.",
    .scope = Scope::kContainer,
    .files = Files::kLegacy};

constexpr Rule kLegacyRecordsWhole = {
    .id = "legacy-records-whole",
    .severities = Everywhere(kError),
    .summary = "The file shall end after the data of the last tensor.",
    .why =
        "Readers read tensors until the file ends, and mistake the extra bytes for another tensor, "
        "which is incomplete or has no name.",
    .repair = "If the file is truncated, fetch it again; otherwise remove the extra bytes.",
    .citation = "rwkv.cpp's FILE_FORMAT.md: \"Read until EOF\"; the other readers do the same.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors,
    .files = Files::kLegacy};

constexpr Rule kLegacyTensorTypeKnown = {
    .id = "legacy-tensor-type-known",
    .severities = Everywhere(kError),
    .summary = "A tensor's type shall be one that this version of the format defines.",
    .why =
        "The size of the data is unknown, so nothing after it can be read; readers have used the "
        "number as a table index without a bounds check.",
    .repair = "Write the tensor with a type that the version defines.",
    .citation = "ggml.h when the version was current; rwkv.cpp's FILE_FORMAT.md, data types.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors,
    .files = Files::kLegacy};

constexpr Rule kLegacyTensorSizeKnown = {
    .id = "legacy-tensor-size-known",
    .severities = Everywhere(kError),
    .summary =
        "A tensor's dimensions shall be below 2^31, their product below 2^63, and the first shall "
        "be a multiple of the type's block size.",
    .why =
        "Readers multiply in 32 bits; if the product overflows, the buffer is too small for the "
        "tensor.",
    .repair = "Correct the dimensions.",
    .citation =
        "Follows from the layout, whose dimensions are signed 32-bit integers; whisper.cpp "
        "multiplies them in 32 bits.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors,
    .files = Files::kLegacy};

constexpr Rule kLegacyDimensionCount = {
    .id = "legacy-dimension-count",
    .severities = Everywhere(kError),
    .summary =
        "A tensor shall have 1 or 2 dimensions, except in files of rwkv.cpp (1 to 3) and of "
        "whisper.cpp (0 to 4).",
    .why = "Readers keep the dimensions in an array of fixed length and write past its end.",
    .repair = "Fold the tensor's outer dimensions into one.",
    .citation =
        "The readers of llama.cpp, rwkv.cpp and whisper.cpp reject other numbers; before the fix "
        "for CVE-2026-110810, whisper.cpp did not.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors,
    .files = Files::kLegacy};

}  // namespace gguf
