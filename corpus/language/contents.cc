// Collects what the statements of a document say about keys, tensors and data.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/contents.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/assemble.h"
#include "corpus/language/types.h"

namespace gguf::corpus {
namespace {

bool IsPlain(const Items& elements);

// Whether the item is a value all of whose fields are computed.
bool IsPlain(const Item& value) {
  if (const auto* string = std::get_if<String>(&value.what)) {
    return !string->length;
  }
  if (const auto* array = std::get_if<Array>(&value.what)) {
    return !array->length && !array->stored_element_type && IsPlain(array->elements);
  }
  if (const auto* repeat = std::get_if<Repeat>(&value.what)) {
    return IsPlain(repeat->body);
  }
  return std::holds_alternative<Scalars>(value.what);
}

bool IsPlain(const Items& elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [](const Item& element) { return IsPlain(element); });
}

bool IsPlain(const KeyValue& kv) {
  const Item& value = kv.value[0];
  const bool fits = kv.type == kStringType  ? std::holds_alternative<String>(value.what)
                    : kv.type == kArrayType ? std::holds_alternative<Array>(value.what)
                                            : std::holds_alternative<Scalars>(value.what);
  return fits && !kv.key_length && !kv.stored_type && IsPlain(value);
}

bool IsPlain(const Tensor& tensor) {
  return !tensor.name_length && !tensor.n_dims &&
         (!tensor.offset || std::holds_alternative<absl::int128>(*tensor.offset));
}

bool IsPlain(const Header& header) {
  return !header.magic && !header.version && !header.tensor_count && !header.metadata_kv_count &&
         !header.alignment;
}

// Whether the item is, repeats or groups keys or tensors.
bool IsTable(const Item& item) { return Holds<KeyValue>(item) || Holds<Tensor>(item); }

// Whether the item is a header, keys or tensors, and nothing else.
bool IsPlainTable(const Item& item) {
  if (const auto* header = std::get_if<Header>(&item.what)) {
    return IsPlain(*header);
  }
  if (const auto* kv = std::get_if<KeyValue>(&item.what)) return IsPlain(*kv);
  if (const auto* tensor = std::get_if<Tensor>(&item.what)) {
    return IsPlain(*tensor);
  }
  const Items* const inner = ItemsIn(item);
  return inner != nullptr && std::all_of(inner->begin(), inner->end(), IsPlainTable);
}

// Returns the first item of the tables that is not plain, or null.
const Item* FindStatedBytes(const Items& items) {
  size_t end = items.size();  // Of the tables.
  while (end > 0 && !IsTable(items[end - 1]) &&
         !std::holds_alternative<Header>(items[end - 1].what)) {
    --end;
  }
  bool in_tensors = false;
  for (size_t i = 0; i < end; ++i) {
    if (!IsPlainTable(items[i]) || (in_tensors && Holds<KeyValue>(items[i]))) {
      return &items[i];
    }
    in_tensors = in_tensors || Holds<Tensor>(items[i]);
  }
  return nullptr;
}

absl::Status NotStated(Position at, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("line ", at.line, ": ", what));
}

uint64_t OffsetOf(const Tables::Info& info) {
  const Override& stated = info.statement->offset;
  return stated ? absl::Uint128Low64(absl::uint128(std::get<absl::int128>(*stated))) : info.offset;
}

}  // namespace

std::string ExpandText(const Text& text, uint64_t index, size_t most) {
  std::string once;
  for (size_t i = 0; i < text.pieces.size(); ++i) {
    if (i > 0) absl::StrAppend(&once, index);
    once += text.pieces[i];
  }
  std::string all;
  for (uint64_t i = 0; i < text.times && all.size() <= most && !once.empty(); ++i) {
    all += once;
  }
  return all;
}

std::optional<Image> Contents::DataOf(const Info& tensor) const {
  const std::optional<uint64_t> size = DataBytes(tensor.type, tensor.dims);
  const uint64_t rest = file.size() - std::min(data_begin, file.size());
  if (!size || tensor.offset > rest || *size > rest - tensor.offset) {
    return std::nullopt;
  }
  const uint64_t begin = data_begin + tensor.offset;
  return file.Part(begin, begin + *size);
}

absl::StatusOr<Contents> ContentsOf(const Document& document) {
  const bool has_header = std::any_of(document.items.begin(), document.items.end(), Holds<Header>);
  if (!has_header) return NotStated({}, "there is no GGUF header");
  if (const Item* const stated = FindStatedBytes(document.items)) {
    return NotStated(stated->at, "it states bytes instead of a key or tensor");
  }
  Tables tables;
  absl::StatusOr<Image> file = AssembleWithTables(document, &tables);
  if (!file.ok()) return file.status();
  for (const Patch& patch : document.patches) {
    if (patch.cut ? file->size() < tables.end : patch.offset < tables.end) {
      return NotStated(patch.at, "it changes bytes of the tables");
    }
  }
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  Contents contents;
  for (const Tables::Key& key : tables.keys) {
    const KeyValue& kv = *key.statement;
    contents.keys.push_back({ExpandText(kv.key, key.index, kAny), kv.type, &kv.value[0], key.index,
                             key.begin, key.end});
  }
  for (const Tables::Info& info : tables.tensors) {
    const Tensor& tensor = *info.statement;
    contents.tensors.push_back({ExpandText(tensor.name, info.index, kAny), tensor.type, tensor.dims,
                                OffsetOf(info), info.begin, info.end});
  }
  for (const Item& item : document.items) {
    const auto* const header = std::get_if<Header>(&item.what);
    if (header != nullptr) contents.big_endian = header->big_endian;
  }
  contents.file = *std::move(file);
  contents.data_begin = tables.data_begin;
  return contents;
}

}  // namespace gguf::corpus
