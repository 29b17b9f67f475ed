// Compares metadata values across files and formats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_VALUES_H_
#define GGUF_CONFORMANCE_COMPARE_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "conformance/tables/compared_keys.h"
#include "parser/diagnostic.h"
#include "parser/file.h"

namespace gguf {

// Returns the group of a key.  `architecture` is that of the origin.
CompareGroup GroupOf(absl::string_view key, absl::string_view architecture);

// The first difference of two values.
struct ValueDifference {
  enum Kind { kType, kLength, kElement, kValue };
  Kind kind = kValue;
  uint64_t element = 0;  // Of kElement.
  // What the file has, and what it should have: of kLength, the lengths; of
  // kType, the types.  They refer to the files, or to the source's value.
  Arg::Value found = uint64_t{0}, wanted = uint64_t{0};
};

// Returns the first difference of a key's values, or nothing.  Numbers are
// equal if their values are, whatever their types; a float is compared as f32
// with one of another type.
std::optional<ValueDifference> CompareValues(const File& file, const KeyValue& kv,
                                             const File& other, const KeyValue& other_kv);
std::optional<ValueDifference> CompareValues(const File& file, const KeyValue& kv,
                                             const SourceValue& wanted);

// Returns a value as messages show it; of an array, its length.
Arg::Value ShownValue(const File& file, const KeyValue& kv);
Arg::Value ShownValue(const SourceValue& value);

// Compares an array with the tokens of a source.  Padding is equal to any other
// padding.
std::optional<ValueDifference> CompareTokens(const File& file, const KeyValue& kv,
                                             const SourceTokens& wanted);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_VALUES_H_
