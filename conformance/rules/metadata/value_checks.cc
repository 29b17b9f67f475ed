// Checks of metadata values, as the format and its readers require them.
//
// Each check walks every value once and reports at most one diagnostic a key:
// the first offender, and how many there are.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "conformance/rules/metadata/checks.h"
#include "parser/core/byte_order.h"
#include "parser/core/structure_rules.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

// The first offender in a value, and the number of offenders.
struct Offenders {
  uint64_t count = 0;
  Range first;
  uint64_t first_element = 0;

  void Add(Range where, uint64_t element) {
    if (count++ > 0) return;
    first = where;
    first_element = element;
  }

  Subject SubjectOf(const KeyValue& kv) const {
    const Subject subject = kv.subject().Of("value");
    return kv.type->kind == ValueKind::kArray ? subject.At(first_element)
                                              : subject;
  }
};

// Walks every value that can violate the rule with a Visitor, whose Wants()
// selects these values and whose member `offenders` collects the result.
template <class Visitor>
void FindOffenders(const File& file, Finder& find, absl::string_view one,
                   absl::string_view many) {
  for (const KeyValue& kv : file.keys) {
    if (!Visitor::Wants(kv)) continue;
    Visitor visitor(file);
    WalkValue(file, kv, &visitor);
    const Offenders& offenders = visitor.offenders;
    if (offenders.count == 0) continue;
    find(offenders.first, offenders.SubjectOf(kv),
         offenders.count == 1 ? one : many, {{"count", offenders.count}});
  }
}

struct OffenderVisitor : ValueVisitor {
  explicit OffenderVisitor(const File& f) : file(f) {}
  const File& file;
  Offenders offenders;
};

constexpr Rule kArrayNotNested = {
    "array-not-nested",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "An array shall not contain arrays.",
    "The specification allows it, but llama.cpp, ollama and others refuse the "
    "file.",
    "Flatten the array, or give each inner array a key of its own.",
    "Not in the specification; ggml's gguf.cpp refuses arrays of arrays."};

void ArrayNotNested(const Model& model, Finder& find) {
  for (const KeyValue& kv : model.file.keys) {
    if (kv.element_type == nullptr ||
        kv.element_type->kind != ValueKind::kArray) {
      continue;
    }
    find({kv.value.begin, kv.value.begin + 4},
         kv.subject().Of("value.element_type"),
         "is array: arrays are nested {depth} deep", {{"depth", kv.depth}});
  }
}

constexpr Rule kBoolZeroOrOne = {
    "bool-zero-or-one",
    Severities().Upload(kError).Spec(kError).LlamaCpp(kWarning),
    "A bool shall be 0 or 1.",
    "Readers disagree on what any other byte means, and compilers may assume "
    "that it does not occur.",
    "Write 1 for true.",
    "gguf.md, gguf_metadata_value_type: \"1-byte value where 0 is false and 1 "
    "is true. Anything else is invalid\"."};

struct BoolVisitor : OffenderVisitor {
  using OffenderVisitor::OffenderVisitor;
  static bool Wants(const KeyValue& kv) { return kv.MayHold(ValueKind::kBool); }
  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values,
               uint64_t offset, uint64_t element, uint64_t step) {
    if (type.kind != ValueKind::kBool) return;
    for (uint64_t i = 0; i < count; ++i) {
      if (values[i] <= 1) continue;
      offenders.Add({offset + i, offset + i + 1}, element + i * step);
    }
  }
};

void BoolZeroOrOne(const Model& model, Finder& find) {
  FindOffenders<BoolVisitor>(model.file, find,
                             "is a bool that is neither 0 nor 1",
                             "is the first of {count} bools that are neither 0 "
                             "nor 1");
}

constexpr Rule kStringUtf8 = {
    "string-utf8",
    Severities().Upload(kWarning).Spec(kError).LlamaCpp(kNote),
    "A string shall be valid UTF-8.",
    "Readers replace the bytes, truncate the string, or throw.",
    "Encode the text as UTF-8; write other bytes as an array of u8.",
    "gguf.md, gguf_string_t: \"The string as a UTF-8 non-null-terminated "
    "string\"."};

struct Utf8Visitor : OffenderVisitor {
  using OffenderVisitor::OffenderVisitor;
  static bool Wants(const KeyValue& kv) {
    return kv.MayHold(ValueKind::kString);
  }
  void String(absl::string_view text, Range where, uint64_t element) {
    if (!IsValidUtf8(text)) offenders.Add(where, element);
  }
};

void StringUtf8(const Model& model, Finder& find) {
  FindOffenders<Utf8Visitor>(model.file, find, "is not valid UTF-8",
                             "is the first of {count} strings that are not "
                             "valid UTF-8");
}

struct LongStringVisitor : OffenderVisitor {
  using OffenderVisitor::OffenderVisitor;
  static bool Wants(const KeyValue& kv) {
    return kv.MayHold(ValueKind::kString) &&
           kv.value.size() > kLongestThatReadersTake;
  }
  void String(absl::string_view text, Range where, uint64_t element) {
    if (text.size() > kLongestThatReadersTake) offenders.Add(where, element);
  }
};

void StringLengthBounded(const Model& model, Finder& find) {
  FindOffenders<LongStringVisitor>(
      model.file, find, "is longer than 2^30 bytes",
      "is the first of {count} strings longer than 2^30 bytes");
}

struct LongArrayVisitor : OffenderVisitor {
  using OffenderVisitor::OffenderVisitor;
  static bool Wants(const KeyValue& kv) {
    return kv.MayHold(ValueKind::kArray) &&
           kv.value.size() > kLongestThatReadersTake;
  }
  void BeginArray(const ValueTypeInfo&, uint64_t length, uint64_t,
                  uint64_t element, Range where) {
    if (length > kLongestThatReadersTake) offenders.Add(where, element);
  }
};

void ArrayLengthBounded(const Model& model, Finder& find) {
  FindOffenders<LongArrayVisitor>(
      model.file, find, "is an array of more than 2^30 elements",
      "is the first of {count} arrays of more than 2^30 elements");
}

constexpr Rule kMetadataFloatFinite = {
    "metadata-float-finite",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "A float in the metadata should be finite.",
    "A NaN or infinite epsilon, base or scale poisons every result.",
    "Find the program that wrote it, or leave the key out to get the reader's "
    "default.",
    "Not in the specification; every hyperparameter is a finite number."};

struct FloatVisitor : OffenderVisitor {
  using OffenderVisitor::OffenderVisitor;
  static bool Wants(const KeyValue& kv) {
    return kv.MayHold(ValueKind::kFloat);
  }
  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values,
               uint64_t offset, uint64_t element, uint64_t step) {
    if (type.kind != ValueKind::kFloat) return;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = i * type.size;
      const uint64_t bits = LoadUnsignedOfSize(values.data() + at, type.size,
                                               file.encoding.endian);
      const double value = type.size == 4
                               ? FloatFromBits(static_cast<uint32_t>(bits))
                               : DoubleFromBits(bits);
      if (!std::isfinite(value)) {
        offenders.Add({offset + at, offset + at + type.size},
                      element + i * step);
      }
    }
  }
};

void MetadataFloatFinite(const Model& model, Finder& find) {
  FindOffenders<FloatVisitor>(
      model.file, find, "is NaN or infinite",
      "is the first of {count} values that are NaN or infinite");
}

constexpr Check kChecks[] = {
    {&kValueTypeKnown, Needs::kKeys, nullptr},
    {&kArrayElementTypeKnown, Needs::kKeys, nullptr},
    {&kArrayLengthFits, Needs::kKeys, nullptr},
    {&kArrayNestingBounded, Needs::kKeys, nullptr},
    {&kArrayNotNested, Needs::kKeys, ArrayNotNested},
    {&kBoolZeroOrOne, Needs::kKeys, BoolZeroOrOne},
    {&kStringUtf8, Needs::kKeys, StringUtf8},
    {&kStringLengthBounded, Needs::kKeys, StringLengthBounded},
    {&kArrayLengthBounded, Needs::kKeys, ArrayLengthBounded},
    {&kMetadataFloatFinite, Needs::kKeys, MetadataFloatFinite},
};

}  // namespace

absl::Span<const Check> ValueChecks() { return kChecks; }

}  // namespace gguf
