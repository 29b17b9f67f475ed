// Prints documents as text.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "corpus/language/disassemble.h"
#include "corpus/language/document.h"
#include "corpus/language/lexer.h"
#include "corpus/language/types.h"

namespace gguf::corpus {
namespace {

constexpr size_t kWidth = 100;

std::string PrintItem(const Item& item, int indent);
std::string PrintBytes(const Items& items, int indent);

// Prints bidi, format and other invisible characters as escapes.
bool IsPlain(uint32_t c) {
  constexpr std::pair<uint32_t, uint32_t> kHidden[] = {
      {0, 0x1f},        {0x22, 0x22},     {0x5c, 0x5c},     {0x7f, 0xa0},
      {0xad, 0xad},     {0x300, 0x36f},   {0x61c, 0x61c},   {0x180e, 0x180e},
      {0x200b, 0x200f}, {0x2028, 0x202f}, {0x2060, 0x206f}, {0xd800, 0xf8ff},
      {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff0, 0xffff}, {0xe0000, 0x10ffff}};
  return std::none_of(std::begin(kHidden), std::end(kHidden),
                      [&](auto range) { return c >= range.first && c <= range.second; });
}

void AppendQuoted(absl::string_view bytes, std::string* out) {
  constexpr absl::string_view kBytes = "\n\t\r\"\\", kLetters = "ntr\"\\";
  while (!bytes.empty()) {
    uint32_t code = 0;
    const size_t size = DecodeUtf8(bytes, &code);
    const size_t letter = kBytes.find(bytes[0]);
    if (letter != absl::string_view::npos) {
      absl::StrAppend(out, "\\", kLetters.substr(letter, 1));
    } else if (size > 0 && IsPlain(code)) {
      absl::StrAppend(out, bytes.substr(0, size));
    } else if (size > 1) {
      absl::StrAppendFormat(out, "\\u{%x}", code);
    } else {
      absl::StrAppendFormat(out, "\\x%02x", static_cast<uint8_t>(bytes[0]));
    }
    bytes.remove_prefix(std::max<size_t>(size, 1));
  }
}

std::string PrintText(const Text& text) {
  constexpr size_t kLongRun = 24;
  const std::string& first = text.pieces[0];
  if (text.pieces.size() == 1 && text.times == 1 && first.size() >= kLongRun &&
      first.find_first_not_of(first[0]) == std::string::npos) {
    return PrintText({{first.substr(0, 1)}, first.size()});
  }
  std::string out = "\"";
  for (size_t i = 0; i < text.pieces.size(); ++i) {
    if (i > 0) out += "\\#";
    AppendQuoted(text.pieces[i], &out);
  }
  out += '"';
  return text.times == 1 ? out : absl::StrCat(out, "*", text.times);
}

std::string Margin(int indent) { return std::string(4 * indent, ' '); }

// Prints words between brackets, on one line or on several of limited width.
std::string Wrapped(const std::vector<std::string>& words, char open, char close, int indent) {
  std::string out(1, open);
  size_t column = 0;
  size_t total = Margin(indent).size() + 16;
  for (const std::string& word : words) total += word.size() + 1;
  const bool one_line =
      total <= kWidth && std::none_of(words.begin(), words.end(), [](const std::string& word) {
        return word.find('\n') != std::string::npos;
      });
  for (const std::string& word : words) {
    if (one_line) {
      absl::StrAppend(&out, out.size() > 1 ? " " : "", word);
    } else if (column == 0 || column + 1 + word.size() > kWidth) {
      absl::StrAppend(&out, "\n", Margin(indent + 1), word);
      column = Margin(indent + 1).size() + word.size();
    } else {
      absl::StrAppend(&out, " ", word);
      column += 1 + word.size();
    }
  }
  if (!one_line) absl::StrAppend(&out, "\n", Margin(indent));
  out += close;
  return out;
}

// Prints bytes without a length: as text if they look like it, else in hex.
std::vector<std::string> PrintRaw(const Text& text) {
  constexpr size_t kLine = 32, kWord = 4;
  const std::string& bytes = text.pieces[0];
  const bool readable = bytes.size() >= kWord && bytes.size() <= kWidth &&
                        std::all_of(bytes.begin(), bytes.end(),
                                    [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
  if (text.pieces.size() > 1 || text.times != 1 || bytes.empty() || readable) {
    return {PrintText(text)};
  }
  std::vector<std::string> lines;
  for (size_t at = 0; at < bytes.size(); at += kLine) {
    std::string line = "x\"";
    for (const char c : absl::string_view(bytes).substr(at, kLine)) {
      absl::StrAppendFormat(&line, "%02x", static_cast<uint8_t>(c));
    }
    lines.push_back(line + "\"");
  }
  return lines;
}

// Adds numbers to the words; runs of one number as "repeat N x".
void PrintScalars(const Scalars& scalars, std::vector<std::string>* words) {
  constexpr size_t kLongRun = 8;
  const std::vector<uint64_t>& bits = scalars.bits;
  for (size_t i = 0; i < bits.size();) {
    size_t end = i + 1;
    while (end < bits.size() && bits[end] == bits[i]) ++end;
    if (end - i < kLongRun) end = i + 1;
    std::string word = PrintScalar(bits[i], *scalars.type);
    words->push_back(end - i == 1 ? std::move(word) : absl::StrCat("repeat ", end - i, " ", word));
    i = end;
  }
}

std::string TypeName(uint32_t value_type) {
  if (value_type == kStringType) return "str";
  if (value_type == kArrayType) return "arr";
  const ScalarType* const scalar = FindScalar(value_type);
  return scalar != nullptr ? scalar->name : absl::StrCat(value_type);
}

// Prints the operands and fields of a statement, after its keyword.
template <class What>
std::string PrintParts(const What& what, int indent, absl::string_view keyword = "");

// Prints the elements of an array; returns false if some do not have its type.
bool PrintElements(const Items& items, uint32_t type, int indent, std::vector<std::string>* words) {
  for (const Item& item : items) {
    const auto* const scalars = std::get_if<Scalars>(&item.what);
    const auto* const string = std::get_if<String>(&item.what);
    const auto* const array = std::get_if<Array>(&item.what);
    const auto* const repeat = std::get_if<Repeat>(&item.what);
    if (scalars != nullptr && scalars->type == FindScalar(type)) {
      PrintScalars(*scalars, words);
    } else if (string != nullptr && type == kStringType) {
      words->push_back(PrintParts(*string, indent));
    } else if (array != nullptr && type == kArrayType) {
      words->push_back(PrintParts(*array, indent + 1));
    } else if (repeat != nullptr) {
      std::vector<std::string> body;
      if (!PrintElements(repeat->body, type, indent, &body) || body.size() != 1) {
        return false;
      }
      words->push_back(absl::StrCat("repeat ", repeat->times, " ", body[0]));
    } else {
      return false;
    }
  }
  return true;
}

// One overload for each kind of part of a statement.
struct PartPrinter {
  int indent;
  std::string out;

  template <class Part>
  bool Operand(absl::string_view, const Part* part) {
    return Add("", Print(*part));
  }
  bool Operand(absl::string_view, const bool* big_endian) {
    return Add("", *big_endian ? "big" : "");
  }
  template <class Part>
  bool Field(absl::string_view name, const std::optional<Part>* part) {
    return !*part || Add(name, Print(**part));
  }
  bool FieldsOf(const Item*) { return true; }  // The item prints them.

  bool Add(absl::string_view name, const std::string& part) {
    for (const absl::string_view word : {name, absl::string_view(part)}) {
      absl::StrAppend(&out, out.empty() || word.empty() ? "" : " ", word);
    }
    return true;
  }

  std::string Print(const Text& text) const { return PrintText(text); }
  std::string Print(uint64_t number) const { return PrintInteger(number); }
  std::string Print(const Items& items) const { return PrintBytes(items, indent); }
  std::string Print(const Align& align) const { return PrintInteger(align.to); }
  std::string Print(uint32_t tensor_type) const {
    const TensorType* const type = FindTensorType(tensor_type);
    return type != nullptr ? type->name : PrintInteger(tensor_type);
  }
  std::string Print(const std::vector<uint64_t>& dims) const {
    std::vector<std::string> words;
    for (const uint64_t dim : dims) words.push_back(PrintInteger(dim));
    return Wrapped(words, '[', ']', indent);
  }
  std::string Print(const std::variant<absl::int128, Items>& field) const {
    const auto* const number = std::get_if<absl::int128>(&field);
    if (number == nullptr) return Print(std::get<Items>(field));
    return *number < 0 ? absl::StrCat(static_cast<int64_t>(*number))
                       : PrintInteger(static_cast<uint64_t>(*number));
  }
  std::string Print(const Header& header) const { return absl::StrCat(header.layout); }
  std::string Print(const KeyValue& kv) const {
    const auto& value = kv.value[0].what;
    const auto* const scalars = std::get_if<Scalars>(&value);
    const uint32_t natural = scalars != nullptr                      ? scalars->type->value_type
                             : std::holds_alternative<String>(value) ? kStringType
                             : std::holds_alternative<Array>(value)  ? kArrayType
                                                                     : ~uint32_t{0};
    return absl::StrCat(natural == kv.type ? "" : absl::StrCat(kv.type, " "), Print(kv.value));
  }
  std::string Print(const Array& array) const {
    const std::string type = TypeName(array.element_type);
    std::vector<std::string> words;
    const bool typed = absl::ascii_islower(type[0]) &&
                       PrintElements(array.elements, array.element_type, indent, &words);
    return absl::StrCat(type, " ",
                        typed ? Wrapped(words, '[', ']', indent) : Print(array.elements));
  }
};

template <class What>
std::string PrintParts(const What& what, int indent, absl::string_view keyword) {
  PartPrinter printer{indent, std::string(keyword)};
  What::Visit(what, printer);
  return printer.out;
}

// One overload for each kind of item.
struct ItemPrinter {
  int indent;

  std::string operator()(const Text& text) const {
    const std::vector<std::string> words = PrintRaw(text);
    return words.size() == 1 ? words[0] : Wrapped(words, '{', '}', indent);
  }
  std::string operator()(const Scalars& scalars) const {
    std::vector<std::string> words;
    PrintScalars(scalars, &words);
    return absl::StrCat(scalars.type->name, " ",
                        scalars.bits.size() == 1 ? words[0] : Wrapped(words, '[', ']', indent));
  }
  std::string operator()(const Group& group) const {
    std::vector<std::string> words;
    for (const Item& item : group.items) {
      const auto* const text = std::get_if<Text>(&item.what);
      if (text == nullptr) {
        words.push_back(PrintItem(item, indent + 1));
      } else {
        const auto more = PrintRaw(*text);
        words.insert(words.end(), more.begin(), more.end());
      }
    }
    return Wrapped(words, '{', '}', indent);
  }
  template <class Statement>
  std::string operator()(const Statement& statement) const {
    return PrintParts(statement, indent, Statement::kKeyword.word);
  }
};

std::string PrintItem(const Item& item, int indent) {
  return std::visit(ItemPrinter{indent}, item.what);
}

// Prints one item; several in brackets.
std::string PrintBytes(const Items& items, int indent) {
  return items.size() == 1 ? PrintItem(items[0], indent) : ItemPrinter{indent}(Group{items});
}

}  // namespace

std::string Print(const Document& document) {
  std::string out;
  for (const Item& item : document.items) {
    absl::StrAppend(&out, PrintItem(item, 0), "\n");
  }
  for (const Patch& patch : document.patches) {
    if (patch.cut) {
      absl::StrAppend(&out, "cut ", *patch.cut, "\n");
    } else {
      absl::StrAppend(&out, "at ", PrintInteger(patch.offset), " ", PrintBytes(patch.bytes, 0),
                      "\n");
    }
  }
  return out;
}

}  // namespace gguf::corpus
