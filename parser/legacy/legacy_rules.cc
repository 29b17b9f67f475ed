// Wording of the rules that the parser of GGUF's ancestors enforces.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy/legacy_rules.h"

namespace gguf {

const Rule kLegacyVersionKnown = {
    "legacy-version-known",
    Everywhere(kError),
    Since("0.1.0"),
    "The version of a GGMF file shall be 1, that of a GGJT file 1, 2 or 3, "
    "that of a rwkv.cpp file 100 or 101.",
    "The version tells what the types of the tensors mean; GGMF and rwkv.cpp "
    "share a magic, and only the version tells them apart.",
    "Write the version of the layout that the file has.",
    "llama.cpp's reader of 2023; rwkv.cpp's FILE_FORMAT.md: \"Can be either "
    "100 or 101\"."};

const Rule kLegacyCountsFit = {
    "legacy-counts-fit",
    Everywhere(kError),
    Since("0.1.0"),
    "The file shall be long enough for the tokens, filters and layers that its "
    "header counts.",
    "Readers that allocate by an unchecked count run out of memory or overflow "
    "the heap.",
    "Correct the count, or fetch the file again when it is cut off.",
    "Follows from the layout; whisper.cpp allocates n_mel times n_fft floats "
    "unchecked."};

const Rule kLegacyRecordsWhole = {
    "legacy-records-whole",
    Everywhere(kError),
    Since("0.1.0"),
    "Behind the data of the last tensor the file shall end.",
    "There are tensors until the file ends, so whatever follows is taken for "
    "the next one; it is too short for that, or has no name.",
    "Fetch the file again if it was cut off, or cut off what follows.",
    "rwkv.cpp's FILE_FORMAT.md: \"Read until EOF\"; the other readers do the "
    "same."};

const Rule kLegacyTensorTypeKnown = {
    "legacy-tensor-type-known",
    Everywhere(kError),
    Since("0.1.0"),
    "A tensor's type shall be one that the format has in its version.",
    "The size of the data is unknown, and so is everything behind it; readers "
    "have indexed their table of types with the number.",
    "Write the tensor with a type of the version.",
    "ggml.h of the version's time; rwkv.cpp's FILE_FORMAT.md, data types."};

const Rule kLegacyTensorSizeKnown = {
    "legacy-tensor-size-known",
    Everywhere(kError),
    Since("0.1.0"),
    "A tensor's dimensions shall be below 2^31, their product below 2^63, and "
    "the first a whole number of the type's blocks.",
    "Readers multiply in 32 bits; a product that wraps makes a small buffer of "
    "a large tensor.",
    "Correct the dimensions.",
    "Follows from the layout, whose dimensions are signed 32-bit numbers; "
    "whisper.cpp multiplies them in 32 bits."};

const Rule kLegacyDimensionCount = {
    "legacy-dimension-count",
    Everywhere(kError),
    Since("0.1.0"),
    "A tensor shall have 1 or 2 dimensions, in rwkv.cpp's files 1 to 3, in "
    "whisper.cpp's 0 to 4.",
    "Readers keep the dimensions in an array of that length and write past its "
    "end.",
    "Fold the tensor's outer dimensions into one.",
    "The readers of llama.cpp, rwkv.cpp and whisper.cpp refuse other numbers, "
    "whisper.cpp since CVE-2026-110810."};

}  // namespace gguf
