// Document: a text of the case language (README.md), parsed.
//
// A statement is a struct with a keyword.  Its Visit names its parts in the
// order of the text, by their names in an edit: operands, which are required,
// then fields, which are optional.  Reader and printer use these; only
// assemble.cc needs to know more about a statement.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_DOCUMENT_H_
#define GGUF_CORPUS_LANGUAGE_DOCUMENT_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/numeric/int128.h"
#include "corpus/language/types.h"

namespace gguf::corpus {

// A position in the text, counted from 1; 0 for items without text.
struct Position {
  int line = 0;
  int column = 0;
};

// Where a statement may occur: anywhere; anywhere except as bytes of another
// item; or once, and not inside another.
enum class Place { kAnywhere, kNotInBytes, kOnce };
struct Keyword {
  const char* word;  // Empty: there is no keyword.
  Place place = Place::kAnywhere;
};

// Literal bytes.  The repetition index goes between two pieces.
struct Text {
  static constexpr Keyword kKeyword = {""};
  std::vector<std::string> pieces;
  uint64_t times = 1;
};

struct Item;
using Items = std::vector<Item>;

// A stated value instead of a computed one: a number of the field's width, or
// any bytes.
using Override = std::optional<std::variant<absl::int128, Items>>;

// Scalars of one type, as bits.
struct Scalars {
  static constexpr Keyword kKeyword = {""};
  const ScalarType* type;
  std::vector<uint64_t> bits;
};

struct String {
  static constexpr Keyword kKeyword = {"str"};
  Text text;
  Override length;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("", &self.text) && parts.Field("length", &self.length);
  }
};

struct Array {
  static constexpr Keyword kKeyword = {"arr"};
  uint32_t element_type = 0;
  Items elements;  // Scalars, String, Array, Repeat of one of them; other
                   // items do not count as elements.
  Override length;
  Override stored_element_type;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("", &self) && parts.Field("length", &self.length) &&
           parts.Field("elem", &self.stored_element_type);
  }
};

struct Zeros {
  static constexpr Keyword kKeyword = {"zeros"};
  uint64_t count;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("", &self.count);
  }
};

struct Align {
  static constexpr Keyword kKeyword = {"align"};
  uint64_t to;  // Not 0.

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("", &self);
  }
};

struct Repeat {
  static constexpr Keyword kKeyword = {"repeat"};
  uint64_t times;
  Items body;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("", &self.times) && parts.Operand("", &self.body);
  }
};

struct Group {
  static constexpr Keyword kKeyword = {""};
  Items items;
};

struct Header {
  static constexpr Keyword kKeyword = {"gguf", Place::kOnce};
  uint32_t layout = 3;  // 1, 2 or 3.
  bool big_endian = false;
  Override magic, version, tensor_count, metadata_kv_count;
  std::optional<uint64_t> alignment;  // Not 0.

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("layout", &self) && parts.Operand("order", &self.big_endian) &&
           parts.Field("magic", &self.magic) && parts.Field("version", &self.version) &&
           parts.Field("tensor_count", &self.tensor_count) &&
           parts.Field("metadata_kv_count", &self.metadata_kv_count) &&
           parts.Field("alignment", &self.alignment);
  }
};

struct KeyValue {
  static constexpr Keyword kKeyword = {"kv", Place::kNotInBytes};
  Text key;
  uint32_t type = 0;
  Items value;  // One item.
  Override key_length, stored_type;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("key", &self.key) && parts.Operand("value", &self) &&
           parts.Field("key_length", &self.key_length) && parts.Field("type", &self.stored_type) &&
           parts.FieldsOf(&self.value[0]);
  }
};

struct Tensor {
  static constexpr Keyword kKeyword = {"tensor", Place::kNotInBytes};
  Text name;
  uint32_t type = 0;
  std::vector<uint64_t> dims;
  Override name_length, n_dims, offset;
  std::optional<Items> data, pad;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Operand("name", &self.name) && parts.Operand("type", &self.type) &&
           parts.Operand("dims", &self.dims) && parts.Field("name_length", &self.name_length) &&
           parts.Field("n_dims", &self.n_dims) && parts.Field("offset", &self.offset) &&
           parts.Field("data", &self.data) && parts.Field("pad", &self.pad);
  }
};

struct Data {
  static constexpr Keyword kKeyword = {"data", Place::kOnce};
  std::optional<Items> padding, content;

  template <class Self, class Parts>
  static bool Visit(Self& self, Parts& parts) {
    return parts.Field("padding", &self.padding) && parts.Field("content", &self.content);
  }
};

struct Item {
  Position at;
  std::variant<Text, Scalars, String, Array, Zeros, Align, Repeat, Group, Header, KeyValue, Tensor,
               Data>
      what;
};

// Makes the item the first statement whose keyword matches.
template <class Wanted, class... Whats>
bool Begin(Wanted wanted, std::variant<Whats...>* what) {
  return ((wanted(Whats::kKeyword) && (what->template emplace<Whats>(), true)) || ...);
}

// Returns function(statement); false for an item without a keyword.
template <class Function>
bool WithStatement(Item* item, Function function) {
  return std::visit(
      [&](auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (What::kKeyword.word[0] != '\0') return function(&what);
        return false;
      },
      item->what);
}

inline Keyword KeywordOf(const Item& item) {
  return std::visit([](const auto& what) { return what.kKeyword; }, item.what);
}

// Adds a scalar to the last item if that has scalars, which must be of its
// type; otherwise as a new item.
inline void AddScalar(const ScalarType& type, uint64_t bits, Position at, Items* items) {
  if (items->empty() || !std::holds_alternative<Scalars>(items->back().what)) {
    items->push_back({at, Scalars{&type, {}}});
  }
  std::get<Scalars>(items->back().what).bits.push_back(bits);
}

// Returns the items that this one repeats or groups, or null.
inline const Items* ItemsIn(const Item& item) {
  if (const auto* repeat = std::get_if<Repeat>(&item.what)) {
    return &repeat->body;
  }
  const auto* const group = std::get_if<Group>(&item.what);
  return group != nullptr ? &group->items : nullptr;
}

// Returns whether the item is one of these, or repeats or groups them.
template <class What>
bool Holds(const Item& item) {
  const Items* const inner = ItemsIn(item);
  return std::holds_alternative<What>(item.what) ||
         (inner != nullptr && std::any_of(inner->begin(), inner->end(), Holds<What>));
}

// Patches, applied to the assembled bytes in the order of the text.
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

#endif  // GGUF_CORPUS_LANGUAGE_DOCUMENT_H_
