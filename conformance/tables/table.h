// Table: the rows of a table of facts, and an index by architecture.  Also the
// types of their cells.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_TABLE_H_
#define GGUF_CONFORMANCE_TABLES_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

// Filled in by table_compiler.py.  Rows are numbered as in the .tsv file; those
// of the files of architectures, which have an order of their own, come behind.
template <class Row>
struct Table {
  const Row* data;
  size_t size;

  // The rows of architecture a are index[begins[a]] .. index[begins[a + 1] -
  // 1]; the last "architecture" stands for names that are not in the table,
  // which only have the rows for *.
  const uint16_t* index;
  const uint32_t* begins;

  const Row* begin() const { return data; }
  const Row* end() const { return data + size; }
  const Row& operator[](size_t row) const { return data[row]; }

  class Iterator {
   public:
    Iterator(const Row* rows, const uint16_t* at) : rows_(rows), at_(at) {}
    const Row& operator*() const { return rows_[*at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Row* rows_;
    const uint16_t* at_;
  };
  struct RowsOfOne {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  // In the order of the table, or of the architecture's file.
  RowsOfOne Of(uint16_t architecture) const {
    return {{data, index + begins[architecture]}, {data, index + begins[architecture + 1]}};
  }

  // Returns whether a row of this table is among Of(architecture).
  bool Holds(const Row& row, uint16_t architecture) const {
    const uint16_t* const end = index + begins[architecture + 1];
    return std::find(index + begins[architecture], end, &row - data) != end;
  }
};

// The words of an enum that a table declares: a specialization for each.
template <class Enum>
struct EnumWords;

template <class Enum>
const char* WordOf(Enum value) {
  return EnumWords<Enum>::kWords[static_cast<size_t>(value)];
}

template <class Enum>
std::optional<Enum> FindWord(absl::string_view word) {
  const auto& words = EnumWords<Enum>::kWords;
  const auto found = std::find(std::begin(words), std::end(words), word);
  if (found == std::end(words)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(words));
}

// A set of members of an enum.
template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet(std::initializer_list<Enum> members) {
    for (const Enum member : members) {
      bits_ |= uint64_t{1} << static_cast<uint32_t>(member);
    }
  }
  constexpr bool Has(Enum member) const {
    return (bits_ >> static_cast<uint32_t>(member) & 1) != 0;
  }

 private:
  uint64_t bits_ = 0;
};

// The texts of a cell.
struct Texts {
  const char* const* data;
  size_t size;

  const char* const* begin() const { return data; }
  const char* const* end() const { return data + size; }
  bool Has(absl::string_view text) const { return std::find(begin(), end(), text) != end(); }
};

// A set of value types: bit t for the type with id t, and bit kArrayBit + t for
// an array of it.
using TypeSet = uint32_t;
constexpr int kArrayBit = 16;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_TABLE_H_
