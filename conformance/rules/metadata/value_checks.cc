// Checks of metadata values, as the format and its readers require them.
//
// Each check walks every value once and reports at most one diagnostic a key:
// the first offender, and how many there are.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/rule_tables.h"
#include "parser/structure_rules.h"

namespace gguf {
namespace {

// The base of visitors that collect the offenders in a value: they are of the
// visitor's kKind, and kOne and kMany are the messages.
struct OffenderVisitor : ValueVisitor {
  static constexpr uint64_t kLongestFine = 0;  // Such a value has none.

  void Add(Range where, uint64_t element) { offenders.Add("", where, element); }

  Endian endian = Endian::kLittle;
  FirstString offenders;
};

template <class Visitor>
void FindOffenders(const CheckContext& context, Finder& find) {
  for (const KeyValue& kv : context.model.file.keys) {
    if (!kv.MayHold(Visitor::kKind)) continue;
    if (kv.value.size() <= Visitor::kLongestFine) continue;
    Visitor visitor;
    visitor.endian = context.model.file.encoding.endian;
    WalkValue(context.model.file, kv, &visitor);
    const FirstString& offenders = visitor.offenders;
    if (offenders.count == 0) continue;
    find(offenders.where, offenders.SubjectOf(kv),
         offenders.count == 1 ? Visitor::kOne : Visitor::kMany, {{"count", offenders.count}});
  }
}

struct BoolVisitor : OffenderVisitor {
  static constexpr char kOne[] = "is a bool that is neither 0 nor 1";
  static constexpr char kMany[] = "is the first of {count} bools that are neither 0 nor 1";
  static constexpr ValueKind kKind = ValueKind::kBool;
  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values, uint64_t offset,
               uint64_t element, uint64_t step) {
    if (type.kind != ValueKind::kBool) return;
    for (uint64_t i = 0; i < count; ++i) {
      if (values[i] <= 1) continue;
      Add({offset + i, offset + i + 1}, element + i * step);
    }
  }
};

struct Utf8Visitor : OffenderVisitor {
  static constexpr char kOne[] = "is not valid UTF-8";
  static constexpr char kMany[] = "is the first of {count} strings that are not valid UTF-8";
  static constexpr ValueKind kKind = ValueKind::kString;
  void String(absl::string_view text, Range where, uint64_t element) {
    if (!IsValidUtf8(text)) Add(where, element);
  }
};

struct LongStringVisitor : OffenderVisitor {
  static constexpr char kOne[] = "is longer than 2^30 bytes";
  static constexpr char kMany[] = "is the first of {count} strings longer than 2^30 bytes";
  static constexpr ValueKind kKind = ValueKind::kString;
  static constexpr uint64_t kLongestFine = kLongestReadable;
  void String(absl::string_view text, Range where, uint64_t element) {
    if (text.size() > kLongestReadable) Add(where, element);
  }
};

struct LongArrayVisitor : OffenderVisitor {
  static constexpr char kOne[] = "is an array of more than 2^30 elements";
  static constexpr char kMany[] = "is the first of {count} arrays of more than 2^30 elements";
  static constexpr ValueKind kKind = ValueKind::kArray;
  static constexpr uint64_t kLongestFine = kLongestReadable;
  void BeginArray(const ValueTypeInfo&, uint64_t length, uint64_t, uint64_t element, Range where) {
    if (length > kLongestReadable) Add(where, element);
  }
};

struct FloatVisitor : OffenderVisitor {
  static constexpr char kOne[] = "is NaN or infinite";
  static constexpr char kMany[] = "is the first of {count} values that are NaN or infinite";
  static constexpr ValueKind kKind = ValueKind::kFloat;
  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values, uint64_t offset,
               uint64_t element, uint64_t step) {
    if (type.kind != ValueKind::kFloat) return;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = i * type.size;
      const uint64_t bits = LoadUnsignedOfSize(values.data() + at, type.size, endian);
      const double value =
          type.size == 4 ? FloatFromBits(static_cast<uint32_t>(bits)) : DoubleFromBits(bits);
      if (!std::isfinite(value)) {
        Add({offset + at, offset + at + type.size}, element + i * step);
      }
    }
  }
};

}  // namespace

constexpr RuleTable kValueRules = {
    {.id = "array-not-nested",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "An array shall not contain arrays.",
     .why = "The specification allows nested arrays, but llama.cpp, ollama and others refuse the "
            "file.",
     .repair = "Flatten the array, or give each inner array its own key.",
     .citation = "Not in the specification; ggml's gguf.cpp refuses arrays of arrays.",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyValue& kv : context.model.file.keys) {
             if (kv.element_type == nullptr || kv.element_type->kind != ValueKind::kArray) {
               continue;
             }
             find({kv.value.begin, kv.value.begin + 4}, kv.subject().Of("value.element_type"),
                  "is array: arrays are nested {depth} deep", {{"depth", kv.depth}});
           }
         }},
    {.id = "bool-zero-or-one",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning},
     .summary = "A bool shall be 0 or 1.",
     .why = "Readers disagree on what any other byte means, and compilers may assume that it does "
            "not occur.",
     .repair = "Write 1 for true.",
     .citation = "gguf.md, gguf_metadata_value_type: \"1-byte value where 0 is false and 1 is "
                 "true. Anything else is invalid\".",
     .scope = Scope::kContainer,
     .check = FindOffenders<BoolVisitor>},
    {.id = "string-utf8",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kNote},
     .summary = "A string shall be valid UTF-8.",
     .why = "Readers replace the invalid bytes, truncate the string, or throw.",
     .repair = "Encode the text as UTF-8; write other bytes as an array of u8.",
     .citation = "gguf.md, gguf_string_t: \"The string as a UTF-8 non-null-terminated string\".",
     .scope = Scope::kContainer,
     .check = FindOffenders<Utf8Visitor>},
};

void CheckStringLengths(const CheckContext& context, Finder& find) {
  FindOffenders<LongStringVisitor>(context, find);
}

void CheckArrayLengths(const CheckContext& context, Finder& find) {
  FindOffenders<LongArrayVisitor>(context, find);
}

constexpr RuleTable kFloatRules = {
    {.id = "metadata-float-finite",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "A float in the metadata should be finite.",
     .why = "A NaN or infinite epsilon, base or scale makes every result NaN.",
     .repair = "Write the value from the original model's configuration, or leave the key out, so "
               "that readers use their default.",
     .citation = "Not in the specification; every hyperparameter is a finite number.",
     .scope = Scope::kContainer,
     .check = FindOffenders<FloatVisitor>},
};

}  // namespace gguf
