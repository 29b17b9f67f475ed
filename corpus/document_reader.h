// DocumentReader: the statements of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_DOCUMENT_READER_H_
#define GGUF_CORPUS_DOCUMENT_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "corpus/document.h"
#include "corpus/lexer.h"

namespace gguf::corpus {

// Reads statements and applies them to a document.  Each function returns false
// when the lexer has failed, with the lexer's status.
class DocumentReader {
 public:
  // With a base, new keys and tensors are inserted behind its last ones.
  DocumentReader(Lexer* lexer, Document* document, bool has_base)
      : lexer_(*lexer), document_(*document), has_base_(has_base) {}

  // One statement, up to the end of its line.
  bool ReadStatement();

 private:
  bool ReadEdit(Position at);
  bool ReadRemove();
  bool ReadCut();
  bool ReadAt();
  Item* ReadSelector();
  bool ReadName(std::string* name);
  bool IsNew(const Item& item);
  void Add(Item item);

  bool ReadItem(Item* item);  // Anything that makes bytes.
  bool IsStatement() const;
  bool ReadTableItem(Item* item);
  bool ReadBytesItem(Item* item);
  bool ReadItems(Items* items);
  bool ReadHeader(Header* header);
  bool ReadKeyValue(KeyValue* kv);
  bool ReadTensor(Tensor* tensor);
  bool ReadRepeat(Repeat* repeat);

  // A value of metadata: its type and its bytes.
  bool ReadValue(uint32_t* type, Items* value);
  bool ReadScalars(const ScalarType& type, Item* item);
  bool ReadScalar(const ScalarType& type, Items* items);
  bool ReadString(String* string);
  bool ReadArray(Array* array);
  // "[...]" of a scalar type, or else of strings or arrays.
  bool ReadList(Items* items, const ScalarType* scalar, uint32_t type);
  bool ReadElement(uint32_t type, Items* items);

  // Fields said instead of computed, behind a statement or in an edit.
  bool ReadFields(Item* item, bool in_edit);
  // These return whether there is such a field; then it has been read.
  bool ReadField(Header* header, absl::string_view name, bool in_edit);
  bool ReadField(KeyValue* kv, absl::string_view name, bool in_edit);
  bool ReadField(Tensor* tensor, absl::string_view name, bool in_edit);
  bool ReadField(Data* data, absl::string_view name, bool in_edit);
  // No such item has fields.
  template <class What>
  bool ReadField(What*, absl::string_view, bool) {
    return false;
  }
  bool ReadOverride(Override* field);
  bool ReadBytes(std::optional<Items>* bytes);
  bool ReadBytes(Item* item);  // Bytes only: no statement.

  bool ReadText(Text* text);
  bool ReadNumber(absl::int128 least, absl::int128 most, absl::int128* number);
  bool ReadCount(uint64_t* count);
  bool ReadAlignment(uint64_t* alignment);
  bool ReadTensorType(uint32_t* type);
  bool ReadDims(std::vector<uint64_t>* dims);

  Lexer& lexer_;
  Document& document_;
  const bool has_base_;
  int depth_ = 0;  // Of items in items.
  bool in_bytes_ = false;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_DOCUMENT_READER_H_
