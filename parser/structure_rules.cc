// Wording of the rules that the parser itself enforces.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/structure_rules.h"

namespace gguf {

constexpr Rule kHeaderMagic = {
    .id = "header-magic",
    .severities = Everywhere(kError),
    .summary = "The file shall begin with the four bytes \"GGUF\".",
    .why = "A reader that ignores a wrong magic misinterprets the rest of the file.",
    .repair =
        "Check that the right file was uploaded and that it was not wrapped, compressed or "
        "replaced by an error page.",
    .citation = "gguf.md, gguf_header_t: \"Must be `GGUF` at the byte level\".",
    .scope = Scope::kContainer,
    .needs = Needs::kMagic};

constexpr Rule kHeaderVersionKnown = {
    .id = "header-version-known",
    .severities = Everywhere(kError),
    .summary = "The version shall be 1, 2 or 3.",
    .why = "The layout of the rest of the file depends on the version.",
    .repair = "Write version 3.",
    .citation =
        "gguf.md, gguf_header_t: \"Must be `3` for version described in this spec\"; versions 1 "
        "and 2 are older.",
    .scope = Scope::kContainer,
    .needs = Needs::kHeader};

constexpr Rule kHeaderCountsFit = {
    .id = "header-counts-fit",
    .severities = Everywhere(kError),
    .summary =
        "The file shall be long enough for the numbers of keys and tensors that its header "
        "announces.",
    .why =
        "Readers that do not check the counts overflow the heap when they allocate memory, or loop "
        "for hours.",
    .repair = "Correct the counts; if the file is truncated, fetch it again.",
    .citation =
        "Follows from gguf_header_t; CVE-2024-23605 and CVE-2024-21836 describe readers that "
        "trusted the counts.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors};

constexpr Rule kFileComplete = {
    .id = "file-complete",
    .severities = Everywhere(kError),
    .summary =
        "Every field of the header, metadata and tensor table shall lie inside the file; in legacy "
        "(pre-GGUF) formats, so shall the tensor data.",
    .why =
        "The file is truncated, or a length in it is wrong; a reader that does not check reads "
        "past the end of its buffer.",
    .repair =
        "Fetch the file again and compare its size; if the size is right, correct the length.",
    .citation =
        "Follows from the layout of gguf_file_t. In CVE-2024-23496, an unchecked length overflowed "
        "the heap; in CVE-2024-32878, a reader freed an uninitialized pointer after a failed read.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors,
    .files = Files::kAll};

constexpr Rule kValueTypeKnown = {
    .id = "value-type-known",
    .severities = Everywhere(kError),
    .summary =
        "A value's type shall be one of the 13 that the format defines (0..12; 0..9 in version 1).",
    .why = "The length of a value of unknown type is unknown, so nothing after it can be read.",
    .repair = "Write the value with a known type.",
    .citation =
        "gguf.md, gguf_metadata_kv_t: \"Must be one of the `gguf_metadata_value_type` values\".",
    .scope = Scope::kContainer};

constexpr Rule kArrayElementTypeKnown = {
    .id = "array-element-type-known",
    .severities = Everywhere(kError),
    .summary =
        "An array's element type shall be one of the 13 that the format defines (0..12; 0..9 in "
        "version 1).",
    .why =
        "Readers have indexed a table of sizes with the unknown type, or looped forever over "
        "elements of size zero.",
    .repair = "Write the array with a known element type.",
    .citation = "gguf.md, gguf_metadata_value_t: the array's type is a gguf_metadata_value_type.",
    .scope = Scope::kContainer};

constexpr Rule kArrayLengthFits = {
    .id = "array-length-fits",
    .severities = Everywhere(kError),
    .summary = "An array shall have no more elements than the rest of the file can hold.",
    .why =
        "In readers that do not check, length times element size overflows: they allocate a small "
        "buffer and write a large array to it.",
    .repair = "Correct the length; if the file is truncated, fetch it again.",
    .citation =
        "Follows from gguf_metadata_value_t; CVE-2024-21825 describes a reader that multiplied "
        "unchecked.",
    .scope = Scope::kContainer};

constexpr Rule kArrayNestingBounded = {
    .id = "array-nesting-bounded",
    .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
    .summary = "Arrays shall be nested at most 64 deep.",
    .why =
        "Readers that recurse into arrays run out of stack. The specification has no limit, so in "
        "the profile spec such a file is incompletely checked.",
    .repair = "Flatten the array.",
    .citation =
        "Not in the specification, which says \"Arrays can be nested\"; every reader that does not "
        "crash on deep nesting has its own limit.",
    .scope = Scope::kContainer};

constexpr Rule kStringLengthBounded = {
    .id = "string-length-bounded",
    .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError, .safety = kWarning},
    .summary = "A string should be at most 2^30 bytes long.",
    .why = "llama.cpp rejects longer strings; other readers run out of memory.",
    .repair = "Split the string, or keep it outside the model.",
    .citation = "Not in the specification; the limit of ggml's gguf.cpp.",
    .unbreakable = "it requires a string of more than a gigabyte",
    .scope = Scope::kContainer};

constexpr Rule kArrayLengthBounded = {
    .id = "array-length-bounded",
    .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError, .safety = kWarning},
    .summary = "An array should have at most 2^30 elements.",
    .why = "llama.cpp rejects longer arrays; other readers run out of memory.",
    .repair = "Split the array, or write it as a tensor.",
    .citation = "Not in the specification; the limit of ggml's gguf.cpp.",
    .unbreakable = "it requires an array of more than a gigabyte",
    .scope = Scope::kContainer};

constexpr Rule kTensorDimensionCount = {
    .id = "tensor-dimension-count",
    .severities = Everywhere(kError),
    .summary = "A tensor shall have at most 4 dimensions.",
    .why = "Readers keep the dimensions in an array of 4 and write past its end.",
    .repair = "Fold the tensor's outer dimensions into one.",
    .citation =
        "gguf.md, gguf_tensor_info_t: \"Currently at most 4\"; CVE-2024-21802 describes a reader "
        "that did not check.",
    .scope = Scope::kContainer,
    .needs = Needs::kTensors};

}  // namespace gguf
