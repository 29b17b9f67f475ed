// The part of the reader that makes bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "corpus/document_reader.h"
#include "corpus/number.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxDepth = 100;
constexpr absl::int128 kMaxU64 = (absl::int128(1) << 64) - 1;

}  // namespace

bool DocumentReader::ReadItem(Item* item) {
  item->at = lexer_.next().at;
  if (depth_ == kMaxDepth) return lexer_.Fail(item->at, "nested too deep");
  ++depth_;
  const bool read = IsStatement() ? ReadTableItem(item) : ReadBytesItem(item);
  --depth_;
  return read;
}

bool DocumentReader::ReadBytesItem(Item* item) {
  if (lexer_.next().kind == Token::Kind::kText) {
    return ReadText(&item->what.emplace<Text>());
  }
  if (lexer_.SkipBracket('{')) {
    return ReadItems(&item->what.emplace<Group>().items);
  }
  if (lexer_.SkipWord("zeros")) {
    return ReadCount(&item->what.emplace<Zeros>().count);
  }
  if (lexer_.SkipWord("align")) {
    return ReadAlignment(&item->what.emplace<Align>().to);
  }
  if (lexer_.SkipWord("repeat")) {
    return ReadRepeat(&item->what.emplace<Repeat>());
  }
  if (lexer_.SkipWord("str")) {
    return ReadString(&item->what.emplace<String>());
  }
  if (lexer_.SkipWord("arr")) {
    return ReadArray(&item->what.emplace<Array>());
  }
  if (const ScalarType* type = FindScalar(lexer_.next().word)) {
    lexer_.Advance();
    return ReadScalars(*type, item);
  }
  return lexer_.FailExpected("a statement or bytes (corpus/README.md)");
}

bool DocumentReader::ReadItems(Items* items) {
  while (!lexer_.SkipBracket('}')) {
    items->emplace_back();
    if (!ReadItem(&items->back())) return false;
  }
  return true;
}

bool DocumentReader::ReadRepeat(Repeat* repeat) {
  return ReadCount(&repeat->times) && ReadItem(&repeat->body.emplace_back());
}

bool DocumentReader::ReadValue(uint32_t* type, Items* value) {
  const auto id = ValueTypeId(lexer_.next().word);
  if (id) {
    *type = *id;
  } else {
    absl::int128 number = 0;
    if (lexer_.next().word.empty() ||
        !absl::ascii_isdigit(lexer_.next().word[0])) {
      return lexer_.FailExpected("a value: u32 7, str \"x\", arr u8 [1], ...");
    }
    if (!ReadNumber(0, 0xffffffff, &number)) return false;
    *type = static_cast<uint32_t>(number);
  }
  value->clear();
  return ReadBytes(&value->emplace_back());
}

bool DocumentReader::ReadScalars(const ScalarType& type, Item* item) {
  Items list;
  if (lexer_.AtBracket('[') ? !ReadList(&list, &type, 0)
                            : !ReadScalar(type, &list)) {
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
    return lexer_.FailExpected(
        absl::StrCat("a number that fits a ", type.name));
  }
  Scalars* last =
      items->empty() ? nullptr : std::get_if<Scalars>(&items->back().what);
  if (last == nullptr) {
    items->push_back({lexer_.next().at, Scalars{&type, {}}});
    last = &std::get<Scalars>(items->back().what);
  }
  last->bits.push_back(*bits);
  lexer_.Advance();
  return true;
}

bool DocumentReader::ReadString(String* string) {
  if (!ReadText(&string->text)) return false;
  return !lexer_.SkipWord("length") || ReadOverride(&string->length);
}

bool DocumentReader::ReadArray(Array* array) {
  const absl::string_view word = lexer_.next().word;
  const auto type = ValueTypeId(word);
  if (type) {
    array->element_type = *type;
    lexer_.Advance();
  } else {
    absl::int128 number = 0;
    if (lexer_.next().kind != Token::Kind::kWord ||
        !absl::ascii_isdigit(word[0])) {
      return lexer_.FailExpected("the elements' type");
    }
    if (!ReadNumber(0, 0xffffffff, &number)) return false;
    array->element_type = static_cast<uint32_t>(number);
  }
  if (type && !lexer_.AtBracket('{')) {
    if (!ReadList(&array->elements, FindScalar(*type), *type)) return false;
  } else if (!ReadBytes(&array->elements.emplace_back())) {
    return false;
  }
  while (true) {
    if (lexer_.SkipWord("length")) {
      if (!ReadOverride(&array->length)) return false;
    } else if (lexer_.SkipWord("elem")) {
      if (!ReadOverride(&array->stored_element_type)) return false;
    } else {
      return true;
    }
  }
}

bool DocumentReader::ReadList(Items* items, const ScalarType* scalar,
                              uint32_t type) {
  if (!lexer_.SkipBracket('[')) return lexer_.FailExpected("'['");
  while (!lexer_.SkipBracket(']')) {
    const Position at = lexer_.next().at;
    Repeat repeat;
    const bool repeats = lexer_.SkipWord("repeat");
    if (repeats && !ReadCount(&repeat.times)) return false;
    Items* const into = repeats ? &repeat.body : items;
    if (scalar != nullptr ? !ReadScalar(*scalar, into)
                          : !ReadElement(type, into)) {
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
    if (!ReadString(&item.what.emplace<String>())) return false;
  } else {
    if (depth_ == kMaxDepth) return lexer_.Fail(item.at, "nested too deep");
    ++depth_;
    if (!ReadArray(&item.what.emplace<Array>())) return false;
    --depth_;
  }
  items->push_back(std::move(item));
  return true;
}

bool DocumentReader::ReadOverride(Override* field) {
  const absl::string_view word = lexer_.next().word;
  if (lexer_.next().kind == Token::Kind::kWord &&
      (absl::ascii_isdigit(word[0]) || word[0] == '-')) {
    absl::int128 number = 0;
    if (!ReadNumber(-kMaxU64, kMaxU64, &number)) return false;
    *field = number;
    return true;
  }
  std::optional<Items> bytes;
  if (!ReadBytes(&bytes)) return false;
  *field = *std::move(bytes);
  return true;
}

bool DocumentReader::ReadBytes(std::optional<Items>* bytes) {
  return ReadBytes(&bytes->emplace().emplace_back());
}

bool DocumentReader::ReadBytes(Item* item) {
  const bool outer = std::exchange(in_bytes_, true);
  const bool read = ReadItem(item);
  in_bytes_ = outer;
  return read;
}

bool DocumentReader::ReadText(Text* text) {
  if (lexer_.next().kind != Token::Kind::kText) {
    return lexer_.FailExpected("a text: \"...\" or x\"00 ff\"");
  }
  *text = lexer_.next().text;
  lexer_.Advance();
  return true;
}

bool DocumentReader::ReadNumber(absl::int128 least, absl::int128 most,
                                absl::int128* number) {
  const auto value = ReadInteger(lexer_.next().word);
  if (lexer_.next().kind != Token::Kind::kWord || !value) {
    return lexer_.FailExpected("a number");
  }
  if (*value < least || *value > most) {
    return lexer_.Fail(lexer_.next().at, "this number does not fit");
  }
  *number = *value;
  lexer_.Advance();
  return true;
}

bool DocumentReader::ReadCount(uint64_t* count) {
  absl::int128 number = 0;
  if (!ReadNumber(0, kMaxU64, &number)) return false;
  *count = static_cast<uint64_t>(number);
  return true;
}

bool DocumentReader::ReadAlignment(uint64_t* alignment) {
  const Position at = lexer_.next().at;
  return ReadCount(alignment) &&
         (*alignment > 0 || lexer_.Fail(at, "cannot align to 0"));
}

}  // namespace gguf::corpus
