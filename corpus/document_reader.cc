// SPDX-License-Identifier: Apache-2.0

#include "corpus/document_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "corpus/number.h"

namespace gguf::corpus {
namespace {

constexpr absl::int128 kMaxU64 = (absl::int128(1) << 64) - 1;

// The text as it stands, for finding an item; none when it is too long.
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

// Whether NameOf(text) would be this.
bool HasName(const Text& text, absl::string_view name) {
  uint64_t once = 0;
  for (const std::string& piece : text.pieces) once += piece.size();
  if (once == 0 || text.times == 0) return name.empty();
  if (name.size() % once != 0 || name.size() / once != text.times) return false;
  while (!name.empty()) {
    for (const std::string& piece : text.pieces) {
      if (!absl::ConsumePrefix(&name, piece)) return false;
    }
  }
  return true;
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

// A file has one header and one data section.
bool DocumentReader::IsNew(const Item& item) {
  const auto is_there = [&](auto is_same) {
    return is_same(item) &&
           std::any_of(document_.items.begin(), document_.items.end(), is_same);
  };
  const bool second_header = is_there(
      [](const Item& i) { return std::holds_alternative<Header>(i.what); });
  const bool second_data = is_there(
      [](const Item& i) { return std::holds_alternative<Data>(i.what); });
  if (!second_header && !second_data) return true;
  return lexer_.Fail(
      item.at,
      absl::StrCat("there is a ", second_header ? "gguf" : "data", " already"));
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
  std::string name;
  if ((kind == "kv" || kind == "tensor") && !ReadName(&name)) return nullptr;
  for (Item& item : document_.items) {
    const auto* const kv = std::get_if<KeyValue>(&item.what);
    const auto* const tensor = std::get_if<Tensor>(&item.what);
    if (kind == "kv"       ? kv != nullptr && HasName(kv->key, name)
        : kind == "tensor" ? tensor != nullptr && HasName(tensor->name, name)
        : kind == "gguf"   ? std::holds_alternative<Header>(item.what)
                           : std::holds_alternative<Data>(item.what)) {
      return &item;
    }
  }
  lexer_.Fail(at, absl::StrCat("there is no such ", kind, " before this"));
  return nullptr;
}

bool DocumentReader::ReadName(std::string* name) {
  const Position at = lexer_.next().at;
  Text text;
  if (!ReadText(&text)) return false;
  std::optional<std::string> found = NameOf(text);
  if (!found) return lexer_.Fail(at, "this text is too long for a name");
  *name = *std::move(found);
  return true;
}

bool DocumentReader::ReadEdit(Position at) {
  Item* const item = ReadSelector();
  if (item == nullptr) return false;
  item->at = at;  // What cannot be laid out is the edit's fault.
  return ReadFields(item, /*in_edit=*/true);
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

// Keys and tensors may be repeated, but are no bytes of something else.
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
    if (name == known) {
      lexer_.Advance();
      return ReadOverride(field);
    }
  }
  if (name == "alignment") {
    lexer_.Advance();
    return ReadAlignment(&header->alignment.emplace());
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
  if (field != nullptr) {
    lexer_.Advance();
    return ReadOverride(field);
  }
  if (in_edit && name == "key") {
    lexer_.Advance();
    return ReadText(&kv->key);
  }
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
    if (name == known) {
      lexer_.Advance();
      return ReadOverride(field);
    }
  }
  if (name == "data") {
    lexer_.Advance();
    return ReadBytes(&tensor->data);
  }
  if (name == "pad") {
    lexer_.Advance();
    return ReadBytes(&tensor->pad);
  }
  if (!in_edit) return false;
  if (name == "name") {
    lexer_.Advance();
    return ReadText(&tensor->name);
  }
  if (name == "type") {
    lexer_.Advance();
    return ReadTensorType(&tensor->type);
  }
  if (name == "dims") {
    lexer_.Advance();
    return ReadDims(&tensor->dims);
  }
  return false;
}

bool DocumentReader::ReadField(Data* data, absl::string_view name,
                               bool /*in_edit*/) {
  if (name == "padding") {
    lexer_.Advance();
    return ReadBytes(&data->padding);
  }
  if (name == "content") {
    lexer_.Advance();
    return ReadBytes(&data->content);
  }
  return false;
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
