// SPDX-License-Identifier: Apache-2.0

#include "corpus/document_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "corpus/number.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxDepth = 100;
constexpr absl::int128 kMaxU64 = (absl::int128(1) << 64) - 1;

// The text as it stands, for finding an item.
std::string Flat(const Text& text) {
  std::string all;
  for (uint64_t i = 0; i < std::min<uint64_t>(text.times, 1 << 20); ++i) {
    for (const std::string& piece : text.pieces) all += piece;
  }
  return all;
}

}  // namespace

bool DocumentReader::ReadStatement() {
  const Position at = lexer_.next().at;
  if (lexer_.SkipWord("edit")) return ReadEdit();
  if (lexer_.SkipWord("remove")) return ReadRemove();
  if (lexer_.SkipWord("cut")) return ReadCut();
  if (lexer_.SkipWord("at")) return ReadAt();
  do {
    Item item;
    if (!ReadItem(&item)) return false;
    item.at = at;
    Add(std::move(item));
  } while (!lexer_.at_line_end());
  return true;
}

void DocumentReader::Add(Item item) {
  Items& items = document_.items;
  auto place = items.end();
  // Behind the last of those that come before it in a file.
  const auto behind = [&](auto is_before) {
    return std::find_if(items.rbegin(), items.rend(), is_before).base();
  };
  const auto before_keys = [](const Item& i) {
    return Holds<Header>(i) || Holds<KeyValue>(i);
  };
  if (has_base_ && Holds<KeyValue>(item)) {
    place = behind(before_keys);
  } else if (has_base_ && Holds<Tensor>(item)) {
    place = behind(
        [&](const Item& i) { return before_keys(i) || Holds<Tensor>(i); });
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
  Text name;
  const bool named = kind == "kv" || kind == "tensor";
  if (named && !ReadText(&name)) return nullptr;
  for (Item& item : document_.items) {
    const auto* const kv = std::get_if<KeyValue>(&item.what);
    const auto* const tensor = std::get_if<Tensor>(&item.what);
    if (kind == "kv" ? kv != nullptr && Flat(kv->key) == Flat(name)
        : kind == "tensor"
            ? tensor != nullptr && Flat(tensor->name) == Flat(name)
        : kind == "gguf" ? std::holds_alternative<Header>(item.what)
                         : std::holds_alternative<Data>(item.what)) {
      return &item;
    }
  }
  lexer_.Fail(at, absl::StrCat("there is no such ", kind, " before this"));
  return nullptr;
}

bool DocumentReader::ReadEdit() {
  Item* const item = ReadSelector();
  return item != nullptr && ReadFields(item, /*in_edit=*/true);
}

bool DocumentReader::ReadRemove() {
  const Item* const item = ReadSelector();
  if (item == nullptr) return false;
  document_.items.erase(document_.items.begin() +
                        (item - document_.items.data()));
  return true;
}

bool DocumentReader::ReadCut() {
  Patch patch;
  patch.at = lexer_.next().at;
  absl::int128 cut = 0;
  if (!ReadNumber(-(kMaxU64 >> 2), kMaxU64 >> 2, &cut)) return false;
  patch.cut = static_cast<int64_t>(cut);
  document_.patches.push_back(std::move(patch));
  return true;
}

bool DocumentReader::ReadAt() {
  Patch patch;
  patch.at = lexer_.next().at;
  if (!ReadCount(&patch.offset)) return false;
  do {
    if (!ReadBytes(&patch.bytes.emplace_back())) return false;
  } while (!lexer_.at_line_end());
  document_.patches.push_back(std::move(patch));
  return true;
}

bool DocumentReader::ReadItem(Item* item) {
  item->at = lexer_.next().at;
  if (depth_ == kMaxDepth) return lexer_.Fail(item->at, "nested too deep");
  ++depth_;
  const bool read = IsStatement() ? ReadTableItem(item) : ReadBytesItem(item);
  --depth_;
  return read;
}

// A file has one header and one data section; keys and tensors may be repeated,
// but are no bytes of something else.
bool DocumentReader::IsStatement() const {
  if (lexer_.AtWord("kv") || lexer_.AtWord("tensor")) return !in_bytes_;
  return (lexer_.AtWord("gguf") || lexer_.AtWord("data")) && depth_ == 1 &&
         !in_bytes_;
}

bool DocumentReader::ReadTableItem(Item* item) {
  bool read = true;
  if (lexer_.SkipWord("gguf")) {
    read = ReadHeader(&item->what.emplace<Header>());
  } else if (lexer_.SkipWord("kv")) {
    read = ReadKeyValue(&item->what.emplace<KeyValue>());
  } else if (lexer_.SkipWord("tensor")) {
    read = ReadTensor(&item->what.emplace<Tensor>());
  } else if (lexer_.SkipWord("data")) {
    item->what.emplace<Data>();
  }
  return read && ReadFields(item, /*in_edit=*/false);
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
    Align& align = item->what.emplace<Align>();
    const Position at = lexer_.next().at;
    return ReadCount(&align.to) &&
           (align.to > 0 || lexer_.Fail(at, "cannot align to 0"));
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

bool DocumentReader::ReadHeader(Header* header) {
  absl::int128 layout = 0;
  if (!ReadNumber(1, 3, &layout)) return false;
  header->layout = static_cast<uint32_t>(layout);
  if (lexer_.SkipWord("big")) {
    header->big_endian = true;
  } else {
    lexer_.SkipWord("little");
  }
  return true;
}

bool DocumentReader::ReadKeyValue(KeyValue* kv) {
  return ReadText(&kv->key) && ReadValue(&kv->type, &kv->value);
}

bool DocumentReader::ReadTensor(Tensor* tensor) {
  return ReadText(&tensor->name) && ReadTensorType(&tensor->type) &&
         ReadDims(&tensor->dims);
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

bool DocumentReader::ReadFields(Item* item, bool in_edit) {
  const auto read_field = [&] {
    const std::string name(lexer_.next().word);
    return lexer_.next().kind == Token::Kind::kWord &&
           std::visit(
               [&](auto& what) { return ReadField(&what, name, in_edit); },
               item->what);
  };
  int fields = 0;
  while (read_field()) ++fields;
  if (in_edit && (fields == 0 || !lexer_.at_line_end())) {
    return lexer_.FailExpected("a field to change (corpus/README.md)");
  }
  return lexer_.status().ok();
}

bool DocumentReader::ReadField(Header* header, absl::string_view name,
                               bool in_edit) {
  const std::pair<absl::string_view, Override*> overrides[] = {
      {"magic", &header->magic},
      {"version", &header->version},
      {"tensor_count", &header->tensor_count},
      {"metadata_kv_count", &header->metadata_kv_count}};
  for (const auto& [known, field] : overrides) {
    if (name == known) return lexer_.Advance(), ReadOverride(field);
  }
  if (name == "alignment") {
    lexer_.Advance();
    return ReadCount(&header->alignment.emplace());
  }
  if (in_edit && name == "layout") {
    lexer_.Advance();
    absl::int128 layout = 0;
    if (!ReadNumber(1, 3, &layout)) return false;
    header->layout = static_cast<uint32_t>(layout);
    return true;
  }
  if (in_edit && name == "order") {
    lexer_.Advance();
    header->big_endian = lexer_.AtWord("big");
    return lexer_.SkipWord("big") || lexer_.SkipWord("little") ||
           lexer_.FailExpected("big or little");
  }
  return false;
}

bool DocumentReader::ReadField(KeyValue* kv, absl::string_view name,
                               bool in_edit) {
  Override* field = nullptr;
  auto* const string = std::get_if<String>(&kv->value[0].what);
  auto* const array = std::get_if<Array>(&kv->value[0].what);
  if (name == "key_length") {
    field = &kv->key_length;
  } else if (name == "type") {
    field = &kv->stored_type;
  } else if (name == "length" && (string != nullptr || array != nullptr)) {
    field = string != nullptr ? &string->length : &array->length;
  } else if (name == "elem" && array != nullptr) {
    field = &array->stored_element_type;
  }
  if (field != nullptr) return lexer_.Advance(), ReadOverride(field);
  if (in_edit && name == "key") return lexer_.Advance(), ReadText(&kv->key);
  if (in_edit && name == "value") {
    lexer_.Advance();
    return ReadValue(&kv->type, &kv->value);
  }
  return false;
}

bool DocumentReader::ReadField(Tensor* tensor, absl::string_view name,
                               bool in_edit) {
  const std::pair<absl::string_view, Override*> overrides[] = {
      {"name_length", &tensor->name_length},
      {"n_dims", &tensor->n_dims},
      {"offset", &tensor->offset}};
  for (const auto& [known, field] : overrides) {
    if (name == known) return lexer_.Advance(), ReadOverride(field);
  }
  if (name == "data") return lexer_.Advance(), ReadBytes(&tensor->data);
  if (name == "pad") return lexer_.Advance(), ReadBytes(&tensor->pad);
  if (!in_edit) return false;
  if (name == "name") return lexer_.Advance(), ReadText(&tensor->name);
  if (name == "type") return lexer_.Advance(), ReadTensorType(&tensor->type);
  if (name == "dims") return lexer_.Advance(), ReadDims(&tensor->dims);
  return false;
}

bool DocumentReader::ReadField(Data* data, absl::string_view name,
                               bool /*in_edit*/) {
  if (name == "padding") return lexer_.Advance(), ReadBytes(&data->padding);
  if (name == "content") return lexer_.Advance(), ReadBytes(&data->content);
  return false;
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

bool DocumentReader::ReadTensorType(uint32_t* type) {
  const TensorType* const known = FindTensorType(lexer_.next().word);
  if (known != nullptr) {
    *type = known->id;
    lexer_.Advance();
    return true;
  }
  absl::int128 number = 0;
  if (!ReadInteger(lexer_.next().word)) {
    return lexer_.FailExpected("a tensor type: F32, Q8_0, ... or a number");
  }
  if (!ReadNumber(0, 0xffffffff, &number)) return false;
  *type = static_cast<uint32_t>(number);
  return true;
}

bool DocumentReader::ReadDims(std::vector<uint64_t>* dims) {
  constexpr uint64_t kMany = 1 << 20;
  dims->clear();
  if (!lexer_.SkipBracket('[')) return lexer_.FailExpected("'['");
  while (!lexer_.SkipBracket(']')) {
    const Position at = lexer_.next().at;
    uint64_t times = 1;
    if (lexer_.SkipWord("repeat") && !ReadCount(&times)) return false;
    absl::int128 dim = 0;
    if (!ReadNumber(-(kMaxU64 >> 1), kMaxU64, &dim)) return false;
    if (times > kMany || dims->size() > kMany) {
      return lexer_.Fail(at, "too many dimensions");
    }
    dims->insert(dims->end(), times, absl::Uint128Low64(absl::uint128(dim)));
  }
  return true;
}

}  // namespace gguf::corpus
