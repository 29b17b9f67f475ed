// Table: rows of facts, and which of them hold for an architecture.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_TABLE_H_
#define GGUF_CONFORMANCE_RULES_TABLES_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace gguf {

// Filled in by table_compiler.cc.  Rows are numbered as in the .tsv file.
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

  // In the order of the table.
  RowsOfOne Of(uint16_t architecture) const {
    return {{data, index + begins[architecture]},
            {data, index + begins[architecture + 1]}};
  }
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_TABLE_H_
