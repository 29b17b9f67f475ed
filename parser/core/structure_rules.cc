// Wording of the rules that the parser itself enforces.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/structure_rules.h"

namespace gguf {

const Rule kHeaderMagic = {
    "header-magic",
    Everywhere(kError),
    "The file shall begin with the four bytes \"GGUF\".",
    "A reader that ignores a wrong magic misinterprets the rest of the file.",
    "Check that the right file was uploaded and that it was not wrapped, "
    "compressed or replaced by an error page.",
    "gguf.md, gguf_header_t: \"Must be `GGUF` at the byte level\"."};

const Rule kHeaderVersionKnown = {
    "header-version-known",
    Everywhere(kError),
    "The version shall be 1, 2 or 3.",
    "The layout of the rest of the file depends on the version.",
    "Write version 3.",
    "gguf.md, gguf_header_t: \"Must be `3` for version described in this "
    "spec\"; versions 1 and 2 are older."};

const Rule kHeaderCountsFit = {
    "header-counts-fit",
    Everywhere(kError),
    "The file shall be long enough for the numbers of keys and tensors that "
    "its header announces.",
    "Readers that do not check the counts overflow the heap when they allocate "
    "memory, or loop for hours.",
    "Correct the counts; if the file is truncated, fetch it again.",
    "Follows from gguf_header_t; CVE-2024-23605 and CVE-2024-21836 describe "
    "readers that trusted the counts."};

const Rule kFileComplete = {
    "file-complete",
    Everywhere(kError),
    "Every field of the header, metadata and tensor table shall lie inside the "
    "file; in legacy (pre-GGUF) formats, so shall the tensor data.",
    "The file is truncated, or a length in it is wrong; a reader that does not "
    "check reads past the end of its buffer.",
    "Fetch the file again and compare its size; if the size is right, correct "
    "the length.",
    "Follows from the layout of gguf_file_t. In CVE-2024-23496, an unchecked "
    "length overflowed the heap; in CVE-2024-32878, a reader freed an "
    "uninitialized pointer after a failed read."};

const Rule kValueTypeKnown = {"value-type-known",
                              Everywhere(kError),
                              "A value's type shall be one of the 13 that the "
                              "format defines (0..12; 0..9 in version 1).",
                              "The length of a value of unknown type is "
                              "unknown, so nothing after it can be read.",
                              "Write the value with a known type.",
                              "gguf.md, gguf_metadata_kv_t: \"Must be one of "
                              "the `gguf_metadata_value_type` values\"."};

const Rule kArrayElementTypeKnown = {
    "array-element-type-known",
    Everywhere(kError),
    "An array's element type shall be one of the 13 that the format defines "
    "(0..12; 0..9 in version 1).",
    "Readers have indexed a table of sizes with the unknown type, or looped "
    "forever over elements of size zero.",
    "Write the array with a known element type.",
    "gguf.md, gguf_metadata_value_t: the array's type is a "
    "gguf_metadata_value_type."};

const Rule kArrayLengthFits = {
    "array-length-fits",
    Everywhere(kError),
    "An array shall have no more elements than the rest of the file can hold.",
    "In readers that do not check, length times element size overflows: they "
    "allocate a small buffer and write a large array to it.",
    "Correct the length; if the file is truncated, fetch it again.",
    "Follows from gguf_metadata_value_t; CVE-2024-21825 describes a reader "
    "that multiplied unchecked."};

const Rule kArrayNestingBounded = {
    "array-nesting-bounded",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "Arrays shall be nested at most 64 deep.",
    "Readers that recurse into arrays run out of stack. The specification has "
    "no limit, so in the profile spec such a file is incompletely checked.",
    "Flatten the array.",
    "Not in the specification, which says \"Arrays can be nested\"; every "
    "reader that does not crash on deep nesting has its own limit."};

const Rule kStringLengthBounded = {
    "string-length-bounded",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kError).Safety(kWarning),
    "A string should be at most 2^30 bytes long.",
    "llama.cpp rejects longer strings; other readers run out of memory.",
    "Split the string, or keep it outside the model.",
    "Not in the specification; the limit of ggml's gguf.cpp."};

const Rule kArrayLengthBounded = {
    "array-length-bounded",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kError).Safety(kWarning),
    "An array should have at most 2^30 elements.",
    "llama.cpp rejects longer arrays; other readers run out of memory.",
    "Split the array, or write it as a tensor.",
    "Not in the specification; the limit of ggml's gguf.cpp."};

const Rule kTensorDimensionCount = {
    "tensor-dimension-count",
    Everywhere(kError),
    "A tensor shall have at most 4 dimensions.",
    "Readers keep the dimensions in an array of 4 and write past its end.",
    "Fold the tensor's outer dimensions into one.",
    "gguf.md, gguf_tensor_info_t: \"Currently at most 4\"; CVE-2024-21802 "
    "describes a reader that did not check."};

}  // namespace gguf
