// Checks of general.alignment, as the format and its readers require it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/placement.h"
#include "conformance/rules/container/checks.h"

namespace gguf {
namespace {

// Reports the alignments of the right type for which `is_wrong` holds.
template <bool (*is_wrong)(uint64_t)>
void FindAlignments(const Model& model, Finder& find) {
  for (const KeyValue& kv : model.file.keys) {
    if (kv.key.value != "general.alignment") continue;
    if (kv.type->type != ValueType::kU32) continue;
    const uint64_t value = *model.file.Unsigned(kv);
    if (!is_wrong(value)) continue;
    find(kv.at_value(), value == 0 ? "is zero" : "is {alignment}",
         {{"alignment", value}});
  }
}

constexpr Rule kAlignmentTypeU32 = {
    "alignment-type-u32",
    Everywhere(kError),
    "general.alignment shall be a u32.",
    "Readers that ignore or misread a value of any other type look for the "
    "data in the wrong place; others refuse the file.",
    "Write the value as a u32.",
    "gguf.md, required keys: \"`general.alignment: uint32`\"."};

void AlignmentTypeU32(const Model& model, Finder& find) {
  for (const KeyValue& kv : model.file.keys) {
    if (kv.key.value != "general.alignment") continue;
    if (kv.type->type == ValueType::kU32) continue;
    find(kv.at_type(), "is {type}, not u32", {{"type", Word{kv.type->name}}});
  }
}

constexpr Rule kAlignmentNonzero = {
    "alignment-nonzero",
    Everywhere(kError),
    "The alignment shall not be zero.",
    "Readers divide by the alignment and crash.",
    "Write 32, or leave the key out.",
    "Follows from the use of the alignment: every offset is a multiple of it; "
    "CVE-2025-0317 describes a reader that divided by zero."};

bool IsZero(uint64_t alignment) { return alignment == 0; }

constexpr Rule kAlignmentMultipleOf8 = {
    "alignment-multiple-of-8",
    Severities().Upload(kWarning).Spec(kError).LlamaCpp(kWarning),
    "The alignment shall be a multiple of 8.",
    "Readers that map the file would load misaligned values.",
    "Write 32, or leave the key out, and lay the data out accordingly.",
    "gguf.md, required keys: \"it must be a multiple of 8\"."};

bool IsNotMultipleOf8(uint64_t alignment) { return alignment % 8 != 0; }

constexpr Rule kAlignmentPowerOfTwo = {
    "alignment-power-of-two",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The alignment shall be a power of two.",
    "Readers that mask bits instead of dividing compute a wrong data offset; "
    "llama.cpp refuses the file.",
    "Write 32, or leave the key out, and lay the data out accordingly.",
    "Not in the specification; required by ggml's gguf.cpp."};

bool IsNotPowerOfTwo(uint64_t alignment) {
  return (alignment & (alignment - 1)) != 0;
}

constexpr Rule kAlignmentPlausible = {
    "alignment-plausible",
    Everywhere(kWarning).Spec(kNote),
    "The alignment should be at most 1 MiB.",
    "Readers that compute padding in 32 bits overflow; no hardware needs an "
    "alignment of more than a page.",
    "Write 32, or leave the key out, and lay the data out accordingly.",
    "Not in the specification; in some readers, an alignment of 2^31 has "
    "caused an overflow."};

bool IsImplausible(uint64_t alignment) {
  return alignment > kMostPlausibleAlignment;
}

constexpr Check kChecks[] = {
    {&kAlignmentTypeU32, Needs::kKeys, AlignmentTypeU32},
    {&kAlignmentNonzero, Needs::kKeys, FindAlignments<IsZero>},
    {&kAlignmentMultipleOf8, Needs::kKeys, FindAlignments<IsNotMultipleOf8>},
    {&kAlignmentPowerOfTwo, Needs::kKeys, FindAlignments<IsNotPowerOfTwo>},
    {&kAlignmentPlausible, Needs::kKeys, FindAlignments<IsImplausible>},
};

}  // namespace

absl::Span<const Check> AlignmentChecks() { return kChecks; }

}  // namespace gguf
