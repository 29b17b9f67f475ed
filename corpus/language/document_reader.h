// DocumentReader: parses the statements of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_DOCUMENT_READER_H_
#define GGUF_CORPUS_LANGUAGE_DOCUMENT_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {

// Reads statements and applies them to a document.  Each function returns false
// if the lexer has failed, with the status in the lexer.
class DocumentReader {
 public:
  // With a base, new keys and tensors are inserted after its last ones.
  DocumentReader(Lexer* lexer, Document* document, bool has_base)
      : lexer_(*lexer), document_(*document), has_base_(has_base) {}

  // Reads one statement, up to the end of its line.
  bool ReadStatement();

 private:
  static constexpr absl::int128 kMaxU64 = (absl::int128(1) << 64) - 1;

  bool ReadEdit(Position at);
  bool ReadRemove();
  bool ReadCut();
  bool ReadAt();
  Item* ReadSelector();
  bool IsNew(const Item& item);
  void Add(Item item);

  bool ReadItem(Item* item);  // Anything that makes bytes.
  bool ReadWhat(Item* item);
  bool ReadItems(Items* items);

  // Returns whether the keyword is the next word and is allowed here.
  bool IsHere(Keyword keyword) const;
  // Reads the operands of a statement, then its fields.
  template <class What>
  bool ReadParts(What* what);
  // Reads stated fields; in an edit also operands, by name.
  template <class What>
  bool ReadFields(What* what, bool in_edit);
  struct OperandReader;
  struct PartReader;

  // One overload for each kind of part of a statement.
  bool Read(Text* text);
  bool Read(uint64_t* count) { return ReadNumber(0, kMaxU64, count); }
  bool Read(uint32_t* tensor_type);
  bool Read(std::vector<uint64_t>* dims);
  bool Read(bool* big_endian);
  bool Read(Items* body);     // One item.
  bool Read(Header* header);  // The layout.
  bool Read(KeyValue* kv);    // The value: its type and its bytes.
  bool Read(Array* array);    // The type of the elements, and these.
  bool Read(Align* align);
  bool Read(Override* field);
  bool Read(std::optional<Items>* bytes);
  bool Read(std::optional<uint64_t>* alignment);

  bool ReadScalars(const ScalarType& type, Item* item);
  bool ReadScalar(const ScalarType& type, Items* items);
  // Reads "[...]" of a scalar type, or of strings or arrays.
  bool ReadList(Items* items, const ScalarType* scalar, uint32_t type);
  bool ReadElement(uint32_t type, Items* items);
  // Reads a value type as a number, where `what` is expected.
  bool ReadTypeNumber(absl::string_view what, uint32_t* type);
  bool ReadBytes(Item* item);  // Bytes only: no statement.
  // Reads a number in a range into one that may be narrower.
  template <class Number>
  bool ReadNumber(absl::int128 least, absl::int128 most, Number* number);

  Lexer& lexer_;
  Document& document_;
  const bool has_base_;
  int depth_ = 0;  // Of items in items.
  bool in_bytes_ = false;
};

struct DocumentReader::OperandReader {
  DocumentReader& reader;

  template <class Part>
  bool Operand(absl::string_view, Part* part) {
    return reader.Read(part);
  }
  bool Operand(absl::string_view, bool* big_endian) {  // It may be left out.
    const bool is_there = reader.lexer_.AtWord("big") || reader.lexer_.AtWord("little");
    return !is_there || reader.Read(big_endian);
  }
  template <class Part>
  bool Field(absl::string_view, Part*) {
    return true;
  }
  bool FieldsOf(Item*) { return true; }
};

// Reads the part named by the next word.
struct DocumentReader::PartReader {
  DocumentReader& reader;
  const bool in_edit;
  const absl::string_view wanted = reader.lexer_.next().word;
  bool found = false;

  template <class Part>
  bool Operand(absl::string_view name, Part* part) {
    return !in_edit || Field(name, part);
  }
  template <class Part>
  bool Field(absl::string_view name, Part* part) {
    if (found || name != wanted) return true;
    found = true;
    reader.lexer_.Advance();
    return reader.Read(part);
  }
  bool FieldsOf(Item* item) {
    auto* const string = std::get_if<String>(&item->what);
    auto* const array = std::get_if<Array>(&item->what);
    return string != nullptr ? String::Visit(*string, *this)
                             : array == nullptr || Array::Visit(*array, *this);
  }
};

template <class Number>
bool DocumentReader::ReadNumber(absl::int128 least, absl::int128 most, Number* number) {
  const auto value = ReadInteger(lexer_.next().word);
  if (lexer_.next().kind != Token::Kind::kWord || !value) {
    return lexer_.FailExpected("a number");
  }
  if (*value < least || *value > most) {
    return lexer_.Fail(lexer_.next().at, "number out of range");
  }
  *number = static_cast<Number>(*value);
  lexer_.Advance();
  return true;
}

template <class What>
bool DocumentReader::ReadParts(What* what) {
  OperandReader operands{*this};
  return What::Visit(*what, operands) && ReadFields(what, /*in_edit=*/false);
}

template <class What>
bool DocumentReader::ReadFields(What* what, bool in_edit) {
  int fields = 0;
  while (lexer_.next().kind == Token::Kind::kWord) {
    PartReader part{*this, in_edit};
    if (!What::Visit(*what, part)) return false;
    if (!part.found) break;
    ++fields;
  }
  if (in_edit && (fields == 0 || !lexer_.at_line_end())) {
    return lexer_.FailExpected("a field to change (corpus/README.md)");
  }
  return true;
}

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_DOCUMENT_READER_H_
