// Document: a text of the case language (README.md), parsed.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_DOCUMENT_H_
#define GGUF_CORPUS_DOCUMENT_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/numeric/int128.h"
#include "corpus/types.h"

namespace gguf::corpus {

// A place in the text, counted from 1; 0 in what no text said.
struct Position {
  int line = 0;
  int column = 0;
};

// Literal bytes.  Between two pieces stands the number of the repetition.
struct Text {
  std::vector<std::string> pieces;
  uint64_t times = 1;
};

struct Item;
using Items = std::vector<Item>;

// What may be said instead of being computed: a number of the field's width,
// or whatever bytes.
using Override = std::optional<std::variant<absl::int128, Items>>;

// Scalars of one type, as their bits.
struct Scalars {
  const ScalarType* type;
  std::vector<uint64_t> bits;
};

struct String {
  Text text;
  Override length;
};

struct Array {
  uint32_t element_type = 0;
  Items elements;  // Scalars, String, Array, Repeat of one of them; anything
                   // else counts as no element.
  Override length;
  Override stored_element_type;
};

struct Zeros {
  uint64_t count;
};

struct Align {
  uint64_t to;  // Not 0.
};

struct Repeat {
  uint64_t times;
  Items body;
};

struct Group {
  Items items;
};

struct Header {
  uint32_t layout = 3;  // 1, 2 or 3.
  bool big_endian = false;
  Override magic, version, tensor_count, metadata_kv_count;
  std::optional<uint64_t> alignment;  // Not 0.
};

struct KeyValue {
  Text key;
  uint32_t type = 0;
  Items value;  // One item.
  Override key_length, stored_type;
};

struct Tensor {
  Text name;
  uint32_t type = 0;
  std::vector<uint64_t> dims;
  Override name_length, n_dims, offset;
  std::optional<Items> data, pad;
};

struct Data {
  std::optional<Items> padding, content;
};

struct Item {
  Position at;
  std::variant<Text, Scalars, String, Array, Zeros, Align, Repeat, Group,
               Header, KeyValue, Tensor, Data>
      what;
};

// Whether the item is one of these, or repeats or groups them.
template <class What>
bool Holds(const Item& item) {
  if (std::holds_alternative<What>(item.what)) return true;
  const Items* inner = nullptr;
  if (const auto* repeat = std::get_if<Repeat>(&item.what)) {
    inner = &repeat->body;
  } else if (const auto* group = std::get_if<Group>(&item.what)) {
    inner = &group->items;
  }
  return inner != nullptr &&
         std::any_of(inner->begin(), inner->end(), Holds<What>);
}

// Applied to the assembled bytes, in the order of the text.
struct Patch {
  Position at;
  std::optional<int64_t> cut;  // Else `bytes` are written over those at
  uint64_t offset = 0;         // `offset`.
  Items bytes;
};

struct Document {
  Items items;
  std::vector<Patch> patches;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_DOCUMENT_H_
