// Checks of the types of the standardized keys: those that the specification
// gives them, that llama.cpp's loader accepts and that its programs write.
//
// A key of the wrong type violates at most one rule of each profile, so no
// finding is reported twice.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/hparams.h"
#include "conformance/model/known_keys.h"
#include "conformance/model/reason.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr TypeSet TypeBit(ValueType type) { return TypeSet{1} << static_cast<uint32_t>(type); }

constexpr TypeSet kIntegers = TypeBit(ValueType::kU8) | TypeBit(ValueType::kI8) |
                              TypeBit(ValueType::kU16) | TypeBit(ValueType::kI16) |
                              TypeBit(ValueType::kU32) | TypeBit(ValueType::kI32) |
                              TypeBit(ValueType::kU64) | TypeBit(ValueType::kI64);

bool IsCount(const StandardKey& row) {
  return row.spec == (TypeBit(ValueType::kU32) | TypeBit(ValueType::kU64));
}

// What can be wrong with a key's type: a bit for each of the rules below.
enum Fault : uint32_t {
  kNotSpecified = 1,
  kUnconventional = 2,
  kNotLoaded = 4,
  kLongCount = 8,
  kNeitherSpecifiedNorRead = 16,
  kNotWritten = 32,
};

uint32_t FaultsOf(const KnownKeys& keys, const KeyValue& kv, const StandardKey& row) {
  uint32_t faults = 0;
  const bool is_read = keys.LoaderReads(row) && keys.LoaderTypes(row) != 0;
  if (row.spec != 0 && !HasType(kv, row.spec)) {
    // A count of another integer type, or an array with one for each block.
    const bool is_unconventional =
        IsCount(row) &&
        HasType(kv, kIntegers | kIntegers << kArrayBit | TypeBit(ValueType::kBool) << kArrayBit);
    faults |= is_unconventional ? kUnconventional : kNotSpecified;
    if (!is_unconventional && !is_read) faults |= kNeitherSpecifiedNorRead;
  }
  if (is_read && !keys.LoaderTakes(kv, row)) {
    // A u64 follows the specification's own convention for counts.
    const bool is_long = IsCount(row) && kv.type->type == ValueType::kU64;
    faults |= is_long ? kLongCount : kNotLoaded;
  }
  if (row.spec == 0 && !is_read && row.writer != 0 && !HasType(kv, row.writer | row.loader)) {
    faults |= kNotWritten;
  }
  return faults;
}

// Reports the keys with the fault, with the types in the row's `expected`.
template <Fault fault, TypeSet StandardKey::*expected>
void FindTypes(const CheckContext& context, Finder& find) {
  const KnownKeys& keys = context.model.known_keys();
  if (expected == &StandardKey::loader && !HasOwnLoader(context.model.kind().kind)) {
    find.CannotCheck(keys.why_not_loaded());
  }
  for (const auto& [kv, row] : keys.rows()) {
    if (row == nullptr || (FaultsOf(keys, kv, *row) & fault) == 0) continue;
    const TypeSet types =
        expected == &StandardKey::loader ? keys.LoaderTypes(*row) : row->*expected;
    find(kv.type_where(), kv.subject().Of("type"), "is {type}, not {expected}",
         {{"type", Trusted{TypeName(kv)}}, {"expected", Trusted{TypeNames(types)}}});
  }
}

}  // namespace

constexpr RuleTable kStandardKeyRules = {
    {.id = "key-type-specified",
     .severities = {.spec = kError},
     .summary = "A standardized key shall have the type that the specification gives it.",
     .why = "Readers expect the specified type, and ignore or refuse a value of any other type.",
     .repair = "Write the value with the expected type.",
     .citation = "gguf.md, standardized key-value pairs: each key is listed with its type.",
     .check = FindTypes<kNotSpecified, &StandardKey::spec>},
    {.id = "count-type-specified",
     .severities = {.spec = kWarning},
     .summary = "A count or length should be a u64 or a u32.",
     .why = "A reader that follows the specification expects neither another integer type nor an "
            "array with a number for each block.",
     .repair = "Write the value as a u32, which every reader accepts.",
     .citation = "gguf.md, standardized key-value pairs: \"By convention, most counts/lengths/etc "
                 "are `uint64` [...] Some models may use `uint32`\".",
     .check = FindTypes<kUnconventional, &StandardKey::spec>},
    {.id = "key-type-loaded",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A key shall have a type that llama.cpp accepts for it.",
     .why = "llama.cpp compares types strictly and refuses the file, even if the number would fit; "
            "for adapters, projectors and importance matrices, it aborts.",
     .repair = "Write the value with the expected type.",
     .citation = "Not in the specification; llama.cpp's model loader throws \"key ... has wrong "
                 "type\"; its other loaders assert the type.",
     .check = FindTypes<kNotLoaded, &StandardKey::loader>},
    {.id = "count-type-loaded",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A count or length that llama.cpp reads shall be a u32.",
     .why = "The specification also allows a u64, but llama.cpp refuses the file.",
     .repair = "Write the value as a u32.",
     .citation = "Not in the specification; llama.cpp's model loader throws \"key ... has wrong "
                 "type ... but expected type ...\".",
     .check = FindTypes<kLongCount, &StandardKey::loader>},
    {.id = "key-type-unread",
     .severities = {.upload = kWarning},
     .summary = "Even a key that llama.cpp does not read should have its specified type.",
     .why = "Other software reads the key: model pages, catalogues and converters.",
     .repair = "Write the value with the expected type.",
     .citation = "gguf.md, standardized key-value pairs: each key is listed with its type.",
     .check = FindTypes<kNeitherSpecifiedNorRead, &StandardKey::spec>},
    {.id = "key-type-written",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A key that only llama.cpp's programs define should have the type that they write.",
     .why = "Readers of the key expect the type that those programs write.",
     .repair = "Write the value with the expected type.",
     .citation = "Not in the specification; the writers of llama.cpp and its gguf package.",
     .check = FindTypes<kNotWritten, &StandardKey::writer>},
    {.id = "key-array-length",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "An array for which llama.cpp expects a fixed number of values shall have exactly "
                "that many.",
     .why = "llama.cpp refuses an array that is shorter or longer.",
     .repair = "Write exactly that many values; pad a shorter array with zeros.",
     .citation = "Not in the specification; llama.cpp's model loader throws \"key ... has wrong "
                 "array length\".",
     .check =
         [](const CheckContext& context, Finder& find) {
           const KnownKeys& keys = context.model.known_keys();
           find.CannotCheck(keys.why_not_loaded());
           for (const auto& [kv, row] : keys.rows()) {
             if (row == nullptr || row->array_length == 0) continue;
             const auto length = LengthOf(kv);
             if (!length || *length == uint64_t(row->array_length) || !keys.LoaderReads(*row)) {
               continue;
             }
             find(kv.at_value(), "has {length value|values}, not {expected}",
                  {{"length", *length}, {"expected", uint64_t(row->array_length)}});
           }
         }},
};

}  // namespace gguf
