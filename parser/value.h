// Values of metadata: their types (gguf_metadata_value_type), and WalkValue, which reads one in
// place.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_VALUE_H_
#define GGUF_PARSER_VALUE_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/cursor.h"
#include "parser/structure_rules.h"

namespace gguf {

enum class ValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,  // Version 2 and later, as are the next two.
  kI64 = 11,
  kF64 = 12,
};

enum class ValueKind { kUnsigned, kSigned, kFloat, kBool, kString, kArray };

struct ValueTypeInfo {
  ValueType type;
  const char* name;  // As spelled in dumps and messages.
  uint32_t size;     // Bytes of a value; 0 if values vary in size.
  ValueKind kind;
  uint32_t first_version;  // The first GGUF version with it.
};

// Returns the type with this id; null if `version` does not have it.
const ValueTypeInfo* FindValueType(uint32_t id, uint32_t version);

// WalkValue: reads one metadata value, arrays of any depth included, in place.
//
// This is the only code that knows the layout of values.  The parser walks a
// value to find its end; checks and dumps walk it again to examine it.  The
// bytes of a mapped file may change in between: the second walk uses the types
// and lengths found by the first.

// The base of visitors of a walk; derive from it and hide the functions you
// need. `element` is an index into the outermost array, 0 for a value outside
// arrays.
struct ValueVisitor {
  // `where` is the range of the array's element type and length.
  void BeginArray(const ValueTypeInfo& /*element_type*/, uint64_t /*length*/, uint64_t /*depth*/,
                  uint64_t /*element*/, Range /*where*/) {}
  void EndArray() {}

  // `count` consecutive values of a type of fixed size.  `element` is that of
  // the first, and `step` is its increment: 1, or 0 in an inner array, whose
  // values all share the outer index.
  void Scalars(const ValueTypeInfo& /*type*/, uint64_t /*count*/, Bytes /*values*/,
               uint64_t /*offset*/, uint64_t /*element*/, uint64_t /*step*/) {}
  void String(absl::string_view /*text*/, Range /*where*/, uint64_t /*element*/) {}
};

template <class Visitor>
class ValueWalker {
 public:
  ValueWalker(Cursor* cursor, uint32_t version, const Limits& limits, Visitor* visitor)
      : cursor_(*cursor), version_(version), limits_(limits), visitor_(*visitor) {}

  // Reads a value of this type.  Returns false if it does not fit; the cursor
  // has the reason.
  bool Walk(const ValueTypeInfo& type) {
    if (WalkAll(type)) return true;
    // An array too long for any reader is a finding, even if it is not read
    // here.
    if (too_long_.value > 0 && cursor_.stop()->kind != Stop::kDamage) {
      cursor_.Report(kArrayLengthBounded, "length", too_long_.where, "is {length}, more than 2^30",
                     {{"length", too_long_.value}});
    }
    return false;
  }

  // Reads a value a second time: an array of `length` elements of
  // `element_type`, or, if that is null, a value that is not an array.  Returns
  // false if its bytes have changed and it does not fit any more.
  bool WalkAgain(const ValueTypeInfo& type, const ValueTypeInfo* element_type, uint64_t length) {
    if (element_type == nullptr) return Leaves(type, 1);
    const uint64_t begin = cursor_.offset();
    Bytes header;
    if (!cursor_.Take("", 4 + cursor_.encoding().length_bytes, &header)) {
      return false;
    }
    Begin(*element_type, length, begin);
    return WalkOpen();
  }

 private:
  bool WalkAll(const ValueTypeInfo& type) {
    if (type.kind != ValueKind::kArray) return Leaves(type, 1);
    return Open() && WalkOpen();
  }

  // Reads the rest of the open arrays.
  bool WalkOpen() {
    while (!open_.empty()) {
      Level& level = open_.back();
      if (level.left == 0) {
        visitor_.EndArray();
        open_.pop_back();
        if (open_.size() == 1) ++element_;
      } else if (level.type->kind == ValueKind::kArray) {
        --level.left;
        if (!Open()) return false;
      } else {
        const uint64_t count = level.left;
        level.left = 0;
        if (!Leaves(*level.type, count)) return false;
      }
    }
    return true;
  }

  struct Level {
    const ValueTypeInfo* type;
    uint64_t left;  // Elements not yet read.
  };

  // Returns the minimum size of a value in bytes.
  uint64_t MinSize(const ValueTypeInfo& type) const {
    const uint64_t length_bytes = cursor_.encoding().length_bytes;
    if (type.kind == ValueKind::kString) return length_bytes;
    if (type.kind == ValueKind::kArray) return 4 + length_bytes;
    return type.size;
  }

  bool Open() {
    const uint64_t begin = cursor_.offset();
    if (open_.size() >= limits_.array_depth) {
      return cursor_.Fail(kArrayNestingBounded, "value", {begin, begin},
                          "has arrays nested more than {depth} deep",
                          {{"depth", limits_.array_depth}});
    }
    Field<uint32_t> type;
    if (!cursor_.ReadU32("element_type", &type)) return false;
    const ValueTypeInfo* info = FindValueType(type.value, version_);
    if (info == nullptr) {
      return cursor_.Fail(kArrayElementTypeKnown, "element_type", type.where,
                          "is {type}, which the format does not define", {{"type", type.value}});
    }
    Field<uint64_t> length;
    if (!cursor_.ReadLength("length", &length)) return false;
    if (!cursor_.Fits(length.value, MinSize(*info))) {
      return cursor_.FailToFit(kArrayLengthFits, "length", length.where, length.value,
                               MinSize(*info),
                               "is {length element|elements} of at least {size byte|bytes}, more "
                               "than the rest of the file",
                               {{"length", length.value}, {"size", MinSize(*info)}});
    }
    if (length.value > kLongestReadable) too_long_ = length;
    if (length.value > limits_.array_elements - elements_) {
      return cursor_.StopAtLimit(
          absl::StrCat("the limit of ", limits_.array_elements, " array elements in one key"));
    }
    elements_ += length.value;
    Begin(*info, length.value, begin);
    return true;
  }

  // Opens an array whose type and length were read.
  void Begin(const ValueTypeInfo& element_type, uint64_t length, uint64_t begin) {
    open_.push_back({&element_type, length});
    visitor_.BeginArray(element_type, length, open_.size(), element_, {begin, cursor_.offset()});
  }

  // Reads `count` values that are not arrays.
  bool Leaves(const ValueTypeInfo& type, uint64_t count) {
    const bool outermost = open_.size() <= 1;
    if (type.kind == ValueKind::kString) {
      return cursor_.ReadStrings(
          "value", count, [&](uint64_t i, const Field<absl::string_view>& text) {
            visitor_.String(text.value, text.where, outermost ? i : element_);
          });
    }
    const uint64_t begin = cursor_.offset();
    Bytes values;
    // Cannot wrap: `count` was compared with the file.
    if (!cursor_.Take("value", count * type.size, &values)) return false;
    visitor_.Scalars(type, count, values, begin, outermost ? 0 : element_, outermost ? 1 : 0);
    return true;
  }

  Cursor& cursor_;
  const uint32_t version_;
  const Limits& limits_;
  Visitor& visitor_;
  absl::InlinedVector<Level, 4> open_;
  uint64_t elements_ = 0;     // Of all arrays opened so far.
  Field<uint64_t> too_long_;  // Length of the last such array; 0 for none.
  uint64_t element_ = 0;      // Index into the outermost array.
};

}  // namespace gguf

#endif  // GGUF_PARSER_VALUE_H_
