// Parses statements, bytes included.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/document_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {
namespace {

// Returns the text of a name, to find an item; nothing if it is too long.
std::optional<std::string> NameOf(const Text& text) {
  constexpr uint64_t kLongest = 1 << 20;
  std::string once;
  for (const std::string& piece : text.pieces) once += piece;
  if (once.empty() || text.times == 0) return "";
  if (text.times > kLongest / once.size()) return std::nullopt;
  std::string all;
  for (uint64_t i = 0; i < text.times; ++i) all += once;
  return all;
}

// Returns whether NameOf(text) equals this; compares the sizes first.
bool HasName(const Text& text, absl::string_view name) {
  absl::uint128 once = 0;
  for (const std::string& piece : text.pieces) once += piece.size();
  return once * text.times == name.size() && NameOf(text) == name;
}

}  // namespace

bool DocumentReader::ReadStatement() {
  const Position at = lexer_.next().at;
  if (lexer_.SkipWord("edit")) return ReadEdit(at);
  if (lexer_.SkipWord("remove")) return ReadRemove();
  if (lexer_.SkipWord("cut")) return ReadCut();
  if (lexer_.SkipWord("at")) return ReadAt();
  do {
    Item item;
    if (!ReadItem(&item) || !IsNew(item)) return false;
    item.at = at;
    Add(std::move(item));
  } while (!lexer_.at_line_end());
  return true;
}

bool DocumentReader::IsNew(const Item& item) {
  const Keyword keyword = KeywordOf(item);
  const bool is_there =
      std::any_of(document_.items.begin(), document_.items.end(),
                  [&](const Item& i) { return i.what.index() == item.what.index(); });
  if (keyword.place != Place::kOnce || !is_there) return true;
  return lexer_.Fail(item.at, absl::StrCat("duplicate ", keyword.word));
}

void DocumentReader::Add(Item item) {
  Items& items = document_.items;
  auto place = items.end();
  const bool is_key = Holds<KeyValue>(item);
  if (has_base_ && (is_key || Holds<Tensor>(item))) {
    // After the last of the items that precede it in a file.
    const auto last = std::find_if(items.rbegin(), items.rend(), [&](const Item& i) {
      return Holds<Header>(i) || Holds<KeyValue>(i) || (!is_key && Holds<Tensor>(i));
    });
    place = last.base();
  }
  items.insert(place, std::move(item));
}

Item* DocumentReader::ReadSelector() {
  const Position at = lexer_.next().at;
  const std::string kind(lexer_.next().word);
  if (kind != "gguf" && kind != "kv" && kind != "tensor" && kind != "data") {
    lexer_.FailExpected("gguf, kv, tensor or data");
    return nullptr;
  }
  lexer_.Advance();
  std::optional<std::string> name = "";
  if (kind == "kv" || kind == "tensor") {
    const Position name_at = lexer_.next().at;
    Text text;
    if (!Read(&text)) return nullptr;
    name = NameOf(text);
    if (!name) {
      lexer_.Fail(name_at, "this text is too long for a name");
      return nullptr;
    }
  }
  for (Item& item : document_.items) {
    const auto* const kv = std::get_if<KeyValue>(&item.what);
    const auto* const tensor = std::get_if<Tensor>(&item.what);
    if (KeywordOf(item).word == kind && (kv == nullptr || HasName(kv->key, *name)) &&
        (tensor == nullptr || HasName(tensor->name, *name))) {
      return &item;
    }
  }
  lexer_.Fail(at, absl::StrCat("no such ", kind, " before this line"));
  return nullptr;
}

bool DocumentReader::ReadEdit(Position at) {
  Item* const item = ReadSelector();
  if (item == nullptr) return false;
  item->at = at;  // Layout errors are reported at the edit.
  return WithStatement(item, [&](auto* what) { return ReadFields(what, /*in_edit=*/true); });
}

bool DocumentReader::ReadRemove() {
  const Item* const item = ReadSelector();
  if (item == nullptr) return false;
  document_.items.erase(document_.items.begin() + (item - document_.items.data()));
  return true;
}

bool DocumentReader::ReadCut() {
  Patch& patch = document_.patches.emplace_back();
  patch.at = lexer_.next().at;
  return ReadNumber(-(kMaxU64 >> 2), kMaxU64 >> 2, &patch.cut.emplace());
}

bool DocumentReader::ReadAt() {
  Patch& patch = document_.patches.emplace_back();
  patch.at = lexer_.next().at;
  if (!Read(&patch.offset)) return false;
  do {
    if (!ReadBytes(&patch.bytes.emplace_back())) return false;
  } while (!lexer_.at_line_end());
  return true;
}

bool DocumentReader::Read(Header* header) { return ReadNumber(1, 3, &header->layout); }

bool DocumentReader::Read(bool* big_endian) {
  *big_endian = lexer_.AtWord("big");
  return lexer_.SkipWord("big") || lexer_.SkipWord("little") ||
         lexer_.FailExpected("big or little");
}

bool DocumentReader::Read(uint32_t* type) {
  const TensorType* const known = FindTensorType(lexer_.next().word);
  if (known != nullptr) {
    *type = known->id;
    lexer_.Advance();
    return true;
  }
  if (!ReadInteger(lexer_.next().word)) {
    return lexer_.FailExpected("a tensor type: F32, Q8_0, ... or a number");
  }
  return ReadNumber(0, 0xffffffff, type);
}

bool DocumentReader::Read(std::vector<uint64_t>* dims) {
  constexpr uint64_t kMany = 1 << 20;
  dims->clear();
  if (!lexer_.SkipBracket('[')) return lexer_.FailExpected("'['");
  while (!lexer_.SkipBracket(']')) {
    const Position at = lexer_.next().at;
    uint64_t times = 1;
    if (lexer_.SkipWord("repeat") && !Read(&times)) return false;
    uint64_t dim = 0;  // Of a negative number, its two's complement.
    if (!ReadNumber(-(kMaxU64 >> 1), kMaxU64, &dim)) return false;
    if (times > kMany || dims->size() > kMany) {
      return lexer_.Fail(at, "too many dimensions");
    }
    dims->insert(dims->end(), times, dim);
  }
  return true;
}

// The part of DocumentReader that reads bytes.

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
