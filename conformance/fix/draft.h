// Draft: a GGUF file that is being changed; Spliced: the bytes that it then has.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_FIX_DRAFT_H_
#define GGUF_CONFORMANCE_FIX_DRAFT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/model/tensor_data.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/value.h"

namespace gguf {

// Holds every number of every value type.
using Number = long double;

// The value of a key, or of an array's elements.
struct KeyContent {
  ValueType type = ValueType::kU32;
  bool is_array = false;
  std::vector<Number> numbers;     // Bools are 0 or 1, or what the file has.
  std::vector<std::string> texts;  // Of strings, instead of numbers.

  static KeyContent Of(ValueType type, Number number) { return {type, false, {number}, {}}; }
  static KeyContent Of(std::string text) {
    return {ValueType::kString, false, {}, {std::move(text)}};
  }

  bool is_text() const { return type == ValueType::kString; }
  size_t size() const { return is_text() ? texts.size() : numbers.size(); }
  std::string Shown() const;  // For people, shortened and escaped.
};

// Returns the value; nothing for arrays in arrays.
std::optional<KeyContent> ContentOf(const File& file, const KeyValue& kv);

// Returns the same value as another type, if that holds it exactly; a float is rounded to f32.
std::optional<KeyContent> Converted(KeyContent content, ValueType type, bool is_array);

// What was changed, and by which finding or wish.
struct Change {
  const Rule* rule = nullptr;  // Null for what the user asked for.
  std::string subject;         // "kv[general.file_type].value"
  std::string from, to;        // Shown; empty for nothing.
  std::string why;             // The finding.
};

// The bytes of a changed file: new tables before data of the original, which is read as needed.
class Spliced : public DataReader {
 public:
  // `size` bytes of the original from `from` on, or zeros.
  struct Piece {
    static constexpr uint64_t kZeros = ~uint64_t{0};
    uint64_t begin, size, from;
  };

  // `original` must outlive this object.
  explicit Spliced(const Source& original) : original_(original) {}

  void AppendTables(std::string tables);
  void AppendZeros(uint64_t size) { Append({0, size, Piece::kZeros}); }
  // Appends the bytes [begin, begin + size) of `before`, a version of the same original.
  void AppendFrom(const Spliced* before, uint64_t begin, uint64_t size);

  const std::string& tables() const { return tables_; }
  // They follow the tables without gaps.
  const std::vector<Piece>& pieces() const { return pieces_; }
  const Source& original() const { return original_; }
  Source source() const;

  void Read(uint64_t offset, uint8_t* to, size_t size) const override;

  // Returns whether all data is at its place in the original, which is as long.
  bool keeps_places() const;

 private:
  void Append(Piece piece);

  const Source original_;
  std::string tables_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

// A changed copy of a file's tables, to be written as version 3.
class Draft {
 public:
  struct Key {
    std::string name;
    ValueType type = ValueType::kU32;
    std::string bytes;  // Of the value, as in version 3.
    bool removed = false;
    bool changed = false;
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> dims;
    uint32_t type = 0;
    uint64_t offset = 0;
    std::optional<Range> data;  // In the file; nothing if it is not there.
    bool removed = false;
  };

  // `file` has complete tables.
  explicit Draft(const File& file);

  // What the changes that follow are made for.
  void Because(const Rule* rule, std::string why) {
    rule_ = rule;
    why_ = std::move(why);
  }
  const std::vector<Change>& changes() const { return changes_; }

  // Both in the order of the file.
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }

  // Each changes a key or tensor once, returns whether it did, and does nothing if that was changed
  // before or has the value.
  bool Set(size_t key, const KeyContent& content);
  bool Set(absl::string_view name, const KeyContent& content);  // Adds the key if it is new.
  bool Remove(size_t key);
  bool Rename(size_t key, std::string name);
  bool SetDims(size_t tensor, std::vector<uint64_t> dims);
  bool RenameTensor(size_t tensor, std::string name);
  bool RemoveTensor(size_t tensor);  // One without data.

  // Writes version 3.
  bool SetVersion();
  // Lays the data out in the order of the table, each tensor at a multiple of `alignment`.  What
  // follows the data stays or goes.  False if a tensor has no place of its own in the file.
  bool LayOut(uint64_t alignment, bool drop_rest);
  // States where the data begins, if the file does not.
  bool SetDataBegin(uint64_t alignment);

  // Returns whether the keys state the alignment with which Splice() places the data.
  bool states_alignment() const;

  // Returns the bytes; `before` is the version that this draft was made of, or null.
  Spliced Splice(const Source& original, const Spliced* before) const;

 private:
  bool Log(std::string subject, std::string from, std::string to);
  std::string Encode(const KeyContent& content) const;

  const File& file_;
  const Rule* rule_ = nullptr;
  std::string why_;
  std::vector<Change> changes_;
  std::vector<Key> keys_;
  std::vector<Tensor> tensors_;
  uint64_t alignment_;
  Range section_;  // The data section.
  bool lay_out_ = false;
  uint64_t rest_begin_ = 0;  // Of what follows the data, if it is laid out.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_DRAFT_H_
