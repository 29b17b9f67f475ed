// Checks of the header, and of the key with the alignment, as the format and
// its readers require them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_data.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

// Reports the alignments of the right type for which `is_wrong` holds.
template <bool (*is_wrong)(uint64_t), const char* message>
void FindAlignments(const CheckContext& context, Finder& find) {
  for (const KeyValue& kv : context.model.file.keys) {
    if (kv.key.value != "general.alignment") continue;
    if (kv.type->type != ValueType::kU32) continue;
    const uint64_t value = *context.model.file.Unsigned(kv);
    if (!is_wrong(value)) continue;
    find(kv.at_value(), message, {{"alignment", value}});
  }
}

constexpr char kDivides[] = "is {alignment}, and readers divide by it";
constexpr char kNoMultiple[] = "is {alignment}, not a multiple of 8";
constexpr char kNoPower[] = "is {alignment}, not a power of two";
constexpr char kTooLarge[] = "is {alignment}, more than 1048576";

bool IsZero(uint64_t alignment) { return alignment == 0; }

bool IsNotMultipleOf8(uint64_t alignment) { return alignment % 8 != 0; }

bool IsNotPowerOfTwo(uint64_t alignment) { return (alignment & (alignment - 1)) != 0; }

bool IsImplausible(uint64_t alignment) { return alignment > kMostPlausibleAlignment; }

}  // namespace

constexpr RuleTable kHeaderRules = {
    {.id = "header-version-current",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "The version should be 3.",
     .why = "Versions 1 and 2 are superseded; some readers no longer accept them. Neither version "
            "allows big-endian files, which version 3 introduced.",
     .repair = "Convert the file with a current writer; the metadata need not change.",
     .citation = "gguf.md, gguf_header_t: \"Must be `3` for version described in this spec, which "
                 "introduces big-endian support\".",
     .scope = Scope::kContainer,
     .needs = Needs::kHeader,
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           if (model.file.version.value == 3) return;
           find(model.file.version.where, {"header", false, 0, {}, "version"},
                model.file.encoding.endian == Endian::kBig
                    ? "is {version}, and big-endian files are new in version 3"
                    : "is {version}, superseded by version 3",
                {{"version", model.file.version.value}});
         }},
    {.id = "header-version-loadable",
     .severities = {.llama_cpp = kError},
     .summary = "The version shall be 2 or 3.",
     .why = "llama.cpp has refused version 1 since November 2023.",
     .repair = "Convert the file with a current writer; the metadata need not change.",
     .citation = "Not in the specification; ggml's gguf.cpp refuses version 1.",
     .scope = Scope::kContainer,
     .needs = Needs::kHeader,
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.model.file.version.value != 1) return;
           find(context.model.file.version.where, {"header", false, 0, {}, "version"},
                "is 1, which llama.cpp no longer reads", {});
         }},
    {.id = "header-endian-little",
     .severities = {.upload = kNote, .spec = kNote, .llama_cpp = kError},
     .summary = "The file should be little endian.",
     .why = "Nearly every machine is little endian, and llama.cpp refuses a file whose byte order "
            "is not the machine's.",
     .repair = "Convert the file to little endian, unless it is for big-endian machines only.",
     .citation = "gguf.md, file structure: \"Models are little-endian by default\"; ggml's "
                 "gguf.cpp refuses a byte order that is not the machine's.",
     .scope = Scope::kContainer,
     .needs = Needs::kHeader,
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.model.file.encoding.endian == Endian::kLittle) return;
           find(context.model.file.version.where, {"header", false, 0, {}, "version"},
                "shows that the file is big endian", {});
         }},
};

constexpr RuleTable kAlignmentRules = {
    {.id = "alignment-type-u32",
     .severities = Everywhere(kError),
     .summary = "general.alignment shall be a u32.",
     .why = "Readers that ignore or misread a value of any other type look for the data in the "
            "wrong place; others refuse the file.",
     .repair = "Write the value as a u32.",
     .citation = "gguf.md, required keys: \"`general.alignment: uint32`\".",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyValue& kv : context.model.file.keys) {
             if (kv.key.value != "general.alignment") continue;
             if (kv.type->type == ValueType::kU32) continue;
             find(kv.at_type(), "is {type}, not u32", {{"type", Trusted{kv.type->name}}});
           }
         }},
    {.id = "alignment-nonzero",
     .severities = Everywhere(kError),
     .summary = "The alignment shall not be zero.",
     .why = "Readers divide by the alignment and crash.",
     .repair = "Write 32, or leave the key out.",
     .citation = "Follows from the use of the alignment: every offset is a multiple of it; "
                 "CVE-2025-0317 describes a reader that divided by zero.",
     .scope = Scope::kContainer,
     .check = FindAlignments<IsZero, kDivides>},
    {.id = "alignment-multiple-of-8",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kWarning},
     .summary = "The alignment shall be a multiple of 8.",
     .why = "Readers that map the file would load misaligned values.",
     .repair = "Write 32, or leave the key out, and lay the data out accordingly.",
     .citation = "gguf.md, required keys: \"it must be a multiple of 8\".",
     .scope = Scope::kContainer,
     .check = FindAlignments<IsNotMultipleOf8, kNoMultiple>},
    {.id = "alignment-power-of-two",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The alignment shall be a power of two.",
     .why = "Readers that mask bits instead of dividing compute a wrong data offset; llama.cpp "
            "refuses the file.",
     .repair = "Write 32, or leave the key out, and lay the data out accordingly.",
     .citation = "Not in the specification; required by ggml's gguf.cpp.",
     .scope = Scope::kContainer,
     .check = FindAlignments<IsNotPowerOfTwo, kNoPower>},
    {.id = "alignment-plausible",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kWarning, .safety = kWarning},
     .summary = "The alignment should be at most 1 MiB.",
     .why = "Readers that compute padding in 32 bits overflow; no hardware needs an alignment of "
            "more than a page.",
     .repair = "Write 32, or leave the key out, and lay the data out accordingly.",
     .citation =
         "Not in the specification; in some readers, an alignment of 2^31 has caused an overflow.",
     .scope = Scope::kContainer,
     .check = FindAlignments<IsImplausible, kTooLarge>},
};

}  // namespace gguf
