// The part of DocumentReader that reads bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/document_reader.h"
#include "corpus/language/number.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxDepth = 100;

}  // namespace

bool DocumentReader::ReadItem(Item* item) {
  item->at = lexer_.next().at;
  if (depth_ == kMaxDepth) return lexer_.Fail(item->at, "nested too deep");
  ++depth_;
  const bool read = ReadWhat(item);
  --depth_;
  return read;
}

bool DocumentReader::IsHere(Keyword keyword) const {
  if (!lexer_.AtWord(keyword.word)) return false;
  return keyword.place == Place::kAnywhere ||
         (!in_bytes_ && (keyword.place != Place::kOnce || depth_ == 1));
}

bool DocumentReader::ReadWhat(Item* item) {
  if (lexer_.next().kind == Token::Kind::kText) {
    return Read(&item->what.emplace<Text>());
  }
  if (lexer_.SkipBracket('{')) {
    return ReadItems(&item->what.emplace<Group>().items);
  }
  if (const ScalarType* type = FindScalar(lexer_.next().word)) {
    lexer_.Advance();
    return ReadScalars(*type, item);
  }
  if (!Begin([&](Keyword keyword) { return IsHere(keyword); }, &item->what)) {
    return lexer_.FailExpected("a statement or bytes (corpus/README.md)");
  }
  lexer_.Advance();
  return WithStatement(item, [&](auto* what) { return ReadParts(what); });
}

bool DocumentReader::ReadItems(Items* items) {
  while (!lexer_.SkipBracket('}')) {
    items->emplace_back();
    if (!ReadItem(&items->back())) return false;
  }
  return true;
}

bool DocumentReader::Read(Items* body) { return ReadItem(&body->emplace_back()); }

bool DocumentReader::ReadTypeNumber(absl::string_view what, uint32_t* type) {
  const absl::string_view word = lexer_.next().word;
  if (lexer_.next().kind != Token::Kind::kWord || !absl::ascii_isdigit(word[0])) {
    return lexer_.FailExpected(what);
  }
  return ReadNumber(0, 0xffffffff, type);
}

bool DocumentReader::Read(KeyValue* kv) {
  if (const auto type = ValueTypeId(lexer_.next().word)) {
    kv->type = *type;
  } else if (!ReadTypeNumber("a value: u32 7, str \"x\", arr u8 [1], ...", &kv->type)) {
    return false;
  }
  kv->value.clear();
  return ReadBytes(&kv->value.emplace_back());
}

bool DocumentReader::ReadScalars(const ScalarType& type, Item* item) {
  Items list;
  if (lexer_.AtBracket('[') ? !ReadList(&list, &type, 0) : !ReadScalar(type, &list)) {
    return false;
  }
  if (list.size() == 1) {
    item->what = std::move(list[0].what);
  } else {
    item->what = Group{std::move(list)};
  }
  return true;
}

bool DocumentReader::ReadScalar(const ScalarType& type, Items* items) {
  const auto bits = corpus::ReadScalar(lexer_.next().word, type);
  if (lexer_.next().kind != Token::Kind::kWord || !bits) {
    return lexer_.FailExpected(absl::StrCat("a number that fits a ", type.name));
  }
  AddScalar(type, *bits, lexer_.next().at, items);
  lexer_.Advance();
  return true;
}

bool DocumentReader::Read(Array* array) {
  const auto type = ValueTypeId(lexer_.next().word);
  if (type) {
    array->element_type = *type;
    lexer_.Advance();
  } else if (!ReadTypeNumber("the elements' type", &array->element_type)) {
    return false;
  }
  if (type && !lexer_.AtBracket('{')) {
    return ReadList(&array->elements, FindScalar(*type), *type);
  }
  return ReadBytes(&array->elements.emplace_back());
}

bool DocumentReader::ReadList(Items* items, const ScalarType* scalar, uint32_t type) {
  if (!lexer_.SkipBracket('[')) return lexer_.FailExpected("'['");
  while (!lexer_.SkipBracket(']')) {
    const Position at = lexer_.next().at;
    Repeat repeat;
    const bool repeats = lexer_.SkipWord("repeat");
    if (repeats && !Read(&repeat.times)) return false;
    Items* const into = repeats ? &repeat.body : items;
    if (scalar != nullptr ? !ReadScalar(*scalar, into) : !ReadElement(type, into)) {
      return false;
    }
    if (repeats) items->push_back({at, std::move(repeat)});
  }
  return true;
}

bool DocumentReader::ReadElement(uint32_t type, Items* items) {
  Item item;
  item.at = lexer_.next().at;
  if (type == kStringType) {
    if (!ReadParts(&item.what.emplace<String>())) return false;
  } else {
    if (depth_ == kMaxDepth) return lexer_.Fail(item.at, "nested too deep");
    ++depth_;
    if (!ReadParts(&item.what.emplace<Array>())) return false;
    --depth_;
  }
  items->push_back(std::move(item));
  return true;
}

bool DocumentReader::Read(Override* field) {
  const absl::string_view word = lexer_.next().word;
  if (lexer_.next().kind == Token::Kind::kWord &&
      (absl::ascii_isdigit(word[0]) || word[0] == '-')) {
    return ReadNumber(-kMaxU64, kMaxU64, &field->emplace().emplace<absl::int128>());
  }
  Items bytes(1);
  if (!ReadBytes(&bytes[0])) return false;
  *field = std::move(bytes);
  return true;
}

bool DocumentReader::Read(std::optional<Items>* bytes) {
  return ReadBytes(&bytes->emplace().emplace_back());
}

bool DocumentReader::ReadBytes(Item* item) {
  const bool outer = std::exchange(in_bytes_, true);
  const bool read = ReadItem(item);
  in_bytes_ = outer;
  return read;
}

bool DocumentReader::Read(Text* text) {
  if (lexer_.next().kind != Token::Kind::kText) {
    return lexer_.FailExpected("a text: \"...\" or x\"00 ff\"");
  }
  *text = lexer_.next().text;
  lexer_.Advance();
  return true;
}

bool DocumentReader::Read(Align* align) {
  const Position at = lexer_.next().at;
  return Read(&align->to) && (align->to > 0 || lexer_.Fail(at, "cannot align to 0"));
}

bool DocumentReader::Read(std::optional<uint64_t>* alignment) {
  Align align{};
  if (!Read(&align)) return false;
  *alignment = align.to;
  return true;
}

}  // namespace gguf::corpus
