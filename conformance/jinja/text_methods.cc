// The methods of Python's str.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/jinja/builtins.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

using absl::string_view;

size_t CountCharacters(string_view text) {
  return absl::c_count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

size_t CharacterOffset(string_view text, size_t index) {
  size_t at = 0;
  for (; at < text.size() && index > 0; --index) {
    for (++at; at < text.size() && (text[at] & 0xc0) == 0x80;) ++at;
  }
  return at;
}

size_t FindText(Machine* machine, string_view text, string_view what, size_t from, bool last) {
  if (what.empty()) return last ? text.size() : from;
  for (size_t at = last ? text.size() - 1 : from; at < text.size(); last ? --at : ++at) {
    const size_t found = last ? text.rfind(what[0], at) : text.find(what[0], at);
    const size_t passed = found == string_view::npos ? text.size() : last ? at - found : found - at;
    if (!machine->Work(1 + (passed + what.size()) / 16) || found == string_view::npos) break;
    at = found;
    if (absl::StartsWith(text.substr(at), what)) return at;
  }
  return string_view::npos;
}

namespace {

// Letters.

// Capital letters whose small letter is `distance` further on; with `step` 2, every second one.
struct Capitals {
  uint32_t first, last, step;
  int distance;
};
constexpr Capitals kCapitals[] = {
    {'A', 'Z', 1, 32},      {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},    {0x100, 0x12e, 2, 1},
    {0x132, 0x136, 2, 1},   {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},   {0x178, 0x178, 1, -121},
    {0x179, 0x17d, 2, 1},   {0x1cd, 0x1db, 2, 1},  {0x1de, 0x1ee, 2, 1},   {0x1f8, 0x21e, 2, 1},
    {0x222, 0x232, 2, 1},   {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37},  {0x38c, 0x38c, 1, 64},
    {0x38e, 0x38f, 1, 63},  {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32},  {0x400, 0x40f, 1, 80},
    {0x410, 0x42f, 1, 32},  {0x460, 0x480, 2, 1},  {0x48a, 0x4be, 2, 1},   {0x4c1, 0x4cd, 2, 1},
    {0x4d0, 0x52e, 2, 1},   {0x531, 0x556, 1, 48}, {0x1e00, 0x1e94, 2, 1}, {0x1ea0, 0x1efe, 2, 1},
    {0xff21, 0xff3a, 1, 32}};

uint32_t ToLower(uint32_t code) {
  for (const Capitals& row : kCapitals) {
    if (code < row.first || code > row.last) continue;
    return (code - row.first) % row.step == 0 ? code + row.distance : code;
  }
  return code;
}

uint32_t ToUpper(uint32_t code) {
  for (const Capitals& row : kCapitals) {
    const uint32_t capital = code - row.distance;
    if (capital < row.first || capital > row.last) continue;
    if ((capital - row.first) % row.step == 0) return capital;
  }
  return code;
}

constexpr uint32_t kSharpS = 0xdf;  // Two letters, as a capital.

bool IsUpper(uint32_t code) { return ToLower(code) != code; }
bool IsLower(uint32_t code) { return ToUpper(code) != code || code == kSharpS; }
bool IsDigit(uint32_t code) { return code >= '0' && code <= '9'; }
bool IsAscii(uint32_t code) { return code < 0x80; }

// Beyond ASCII, all but Latin and general punctuation, spaces, signs and pictures are letters.
bool IsLetter(uint32_t code) {
  return IsUpper(code) || IsLower(code) ||
         (code >= 0xc0 && code != 0xd7 && code != 0xf7 && (code < 0x2000 || code > 0x303f) &&
          (code < 0xd800 || code > 0xfaff) && (code < 0xfe00 || code > 0x1ffff));
}
bool IsLetterOrDigit(uint32_t code) { return IsLetter(code) || IsDigit(code); }

// Which letters become capitals; the others become small.
enum class Case { kNone, kAll, kFirst, kFirstOfWord, kSmall };

template <Case capitals>
Value ChangeCase(Call& c) {
  const string_view text = c.self.text();
  std::string out;
  if (!c.machine.Work(text.size() / 2)) return Value();
  bool is_first = capitals == Case::kFirst || capitals == Case::kFirstOfWord;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code = NextCodePoint(text, &at);
    const bool upper =
        is_first || capitals == Case::kAll || (capitals == Case::kSmall && IsLower(code));
    const uint32_t changed = upper ? ToUpper(code) : ToLower(code);
    if (upper && code == kSharpS)
      out += capitals == Case::kAll ? "SS" : "Ss";
    else if (changed != code)
      AppendUtf8(changed, &out);
    else
      out.append(text.data() + begin, at - begin);
    is_first = capitals == Case::kFirstOfWord && !IsUpper(code) && !IsLower(code);
  }
  return c.machine.MakeString(out);
}

// Whether all characters pass, and there is one.
template <bool (*passes)(uint32_t)>
Value IsAll(Call& c) {
  bool passed = c.machine.Work(c.self.size / 2) && (c.self.size > 0 || passes == IsAscii);
  for (size_t at = 0; passed && at < c.self.size;)
    passed = passes(NextCodePoint(c.self.text(), &at));
  return Value(passed);
}

// Whether all letters pass, and there is one.
template <bool (*passes)(uint32_t), bool (*fails)(uint32_t)>
Value IsCased(Call& c) {
  bool has_letter = false;
  for (size_t at = 0; at < c.self.size && c.machine.Work(1);) {
    const uint32_t code = NextCodePoint(c.self.text(), &at);
    if (fails(code)) return Value(false);
    has_letter |= passes(code);
  }
  return Value(has_letter);
}

// Search.

// Returns the part between the arguments `i` and `i + 1`, as of a slice.
string_view Part(Call& c, size_t i) {
  const Value none(Kind::kNone);
  return c.machine
      .Slice(c.self, c.Has(i) ? c.args[i] : none, c.Has(i + 1) ? c.args[i + 1] : none, none)
      .text();
}

template <bool last, bool raises>
Value Find(Call& c) {
  const string_view text = Part(c, 1);
  const size_t at = FindText(&c.machine, text, c.Text(0), 0, last);
  if (c.machine.failed()) return Value();
  if (at == string_view::npos)
    return raises ? c.machine.Raise("substring not found") : Value(int64_t{-1});
  return Value(CountCharacters({c.self.data, static_cast<size_t>(text.data() + at - c.self.data)}));
}

Value Count(Call& c) {
  const string_view what = c.Text(0), text = Part(c, 1);
  size_t count = what.empty() ? CountCharacters(text) + 1 : 0;
  for (size_t at = 0; !what.empty(); at += what.size(), ++count) {
    at = FindText(&c.machine, text, what, at);
    if (at == string_view::npos) break;
  }
  return Value(count);
}

// An affix may also be a tuple of them.
template <bool at_end>
Value HasAffix(Call& c) {
  const string_view text = Part(c, 1);
  for (const Value& affix :
       c.args[0].is(Kind::kTuple) ? c.args[0].list->items : std::vector<Value>{c.args[0]}) {
    if (!affix.is_string())
      return c.machine.Raise(
          absl::StrCat("first arg must be str or a tuple of str, not ", TypeName(affix)));
    if (!c.machine.Work(1 + affix.size / 16)) break;
    if (at_end ? absl::EndsWith(text, affix.text()) : absl::StartsWith(text, affix.text()))
      return Value(true);
  }
  return Value(false);
}

// Parts.

// Returns the last character.
string_view LastOf(string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xc0) == 0x80) --at;
  return text.substr(at);
}

template <bool left, bool right>
Value Strip(Call& c) {
  string_view text = c.self.text();
  const string_view some = c.Text(0);
  if (!c.machine.Work(text.size() / 16)) return Value();
  const auto is_one = [&](string_view character) {
    size_t at = 0;
    if (!c.Has(0)) return IsSpace(NextCodePoint(character, &at));
    return FindText(&c.machine, some, character) != string_view::npos;
  };
  while (left && !text.empty() && is_one(text.substr(0, CharacterOffset(text, 1))))
    text.remove_prefix(CharacterOffset(text, 1));
  while (right && !text.empty() && is_one(LastOf(text))) text.remove_suffix(LastOf(text).size());
  return Value(text);
}

template <bool last>
Value Partition(Call& c) {
  const string_view what = c.Text(0), text = c.self.text();
  if (what.empty()) return c.machine.Raise("empty separator");
  const size_t at = FindText(&c.machine, text, what, 0, last);
  const Value none(string_view(""));
  if (at == string_view::npos)
    return c.machine.MakeList({last ? none : c.self, none, last ? c.self : none}, Kind::kTuple);
  return c.machine.MakeList(
      {Value(text.substr(0, at)), Value(what), Value(text.substr(at + what.size()))}, Kind::kTuple);
}

template <bool last>
Value Split(Call& c) {
  const int64_t limit = c.Integer(1, -1);
  const size_t most = limit < 0 ? string_view::npos : static_cast<size_t>(limit);
  const string_view separator = c.Text(0);
  string_view text = c.self.text();
  std::vector<Value> parts;
  if (c.Has(0) && separator.empty()) return c.machine.Raise("empty separator");
  while (c.Has(0) && parts.size() < most) {
    const size_t at = FindText(&c.machine, text, separator, 0, last);
    if (at == string_view::npos) break;
    parts.emplace_back(last ? text.substr(at + separator.size()) : text.substr(0, at));
    text = last ? text.substr(0, at) : text.substr(at + separator.size());
  }
  if (c.Has(0)) {
    parts.emplace_back(text);
    if (last) absl::c_reverse(parts);
    return c.machine.MakeList(std::move(parts));
  }
  // Words; those beyond the limit are one part.
  for (text = StripLeft(text); !text.empty() && c.machine.Work(1); text = StripLeft(text)) {
    size_t size = 0;
    for (size_t at = 0; at < text.size() && !IsSpace(NextCodePoint(text, &at));) size = at;
    parts.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  if (parts.size() > most) {
    const size_t merged = last ? parts.size() - most - 1 : most;
    const char* const begin = last ? c.self.data : parts[merged].data;
    const char* const end =
        last ? parts[merged].data + parts[merged].size : c.self.data + c.self.size;
    parts[merged] = Value(string_view(begin, end - begin));
    parts.erase(last ? parts.begin() : parts.begin() + most + 1,
                last ? parts.begin() + merged : parts.end());
  }
  return c.machine.MakeList(std::move(parts));
}

Value SplitLines(Call& c) {
  const string_view text = c.self.text();
  std::vector<Value> lines;
  if (!c.machine.Work(text.size() / 4)) return Value();
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = at;
    const uint32_t code = NextCodePoint(text, &at);
    const bool ends = (code >= '\n' && code <= '\r') || (code >= 0x1c && code <= 0x1e) ||
                      code == 0x85 || code == 0x2028 || code == 0x2029;
    if (!ends) continue;
    if (code == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.emplace_back(text.substr(begin, (c.Flag(0) ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return c.machine.MakeList(std::move(lines));
}

// Longer texts.

// Puts the text at the left, at the right or in the middle.
template <char where>
Value Justify(Call& c) {
  const int64_t width = c.Integer(0),
                margin = width - static_cast<int64_t>(c.machine.Length(c.self));
  const string_view fill = c.Text(1, where == '0' ? "0" : " ");
  if (margin <= 0 || !c.machine.Room(static_cast<double>(width), 0)) return c.self;
  if (CountCharacters(fill) != 1)
    return c.machine.Raise("The fill character must be exactly one character long");
  const int64_t before = where == '<'   ? 0
                         : where == '^' ? margin / 2 + (margin & width & 1)
                                        : margin;
  string_view text = c.self.text();
  std::string out;
  if (where == '0' && (absl::StartsWith(text, "-") || absl::StartsWith(text, "+"))) {
    out = text[0];
    text.remove_prefix(1);
  }
  for (int64_t i = 0; i < before; ++i) out.append(fill.data(), fill.size());
  out.append(text.data(), text.size());
  for (int64_t i = before; i < margin; ++i) out.append(fill.data(), fill.size());
  return c.machine.MakeString(out);
}

Value Replace(Call& c) {
  const string_view text = c.self.text(), from = c.Text(0), to = c.Text(1);
  std::string out;
  size_t at = 0;
  for (int64_t left = c.Integer(2, -1); left != 0 && !c.machine.failed(); --left) {
    const size_t found = FindText(&c.machine, text, from, at);
    if (found == string_view::npos || at > text.size()) break;
    c.machine.Append(text.substr(at, found - at), &out);
    c.machine.Append(to, &out);
    at = found + from.size();
    // An empty text is between all characters, and at both ends.
    if (!from.empty()) continue;
    const size_t size = CharacterOffset(text.substr(at), 1);
    c.machine.Append(text.substr(at, size), &out);
    at += std::max<size_t>(size, 1);
  }
  if (at < text.size()) c.machine.Append(text.substr(at), &out);
  return c.machine.MakeString(out);
}

Value Join(Call& c) {
  std::string out;
  const std::vector<Value>& items = c.machine.Iterate(c.args[0])->items;
  for (const Value& item : items) {
    if (!item.is_string())
      return c.machine.Raise(absl::StrCat("sequence item ", &item - items.data(),
                                          ": expected str instance, ", TypeName(item), " found"));
    if (&item != items.data()) c.machine.Append(c.self.text(), &out);
    if (!c.machine.Append(item.text(), &out)) break;
  }
  return c.machine.MakeString(out);
}

constexpr Builtin kRows[] = {
    {"capitalize", "", ChangeCase<Case::kFirst>},
    {"casefold", "", ChangeCase<Case::kNone>},
    {"center", "!width fill", Justify<'^'>},
    {"count", "!sub begin end", Count},
    {"encode", nullptr, nullptr},
    {"endswith", "!suffix begin end", HasAffix<true>},
    {"expandtabs", nullptr, nullptr},
    {"find", "!sub begin end", Find<false, false>},
    {"format", nullptr, FormatFields},
    {"format_map", nullptr, nullptr},
    {"index", "!sub begin end", Find<false, true>},
    {"isalnum", "", IsAll<IsLetterOrDigit>},
    {"isalpha", "", IsAll<IsLetter>},
    {"isascii", "", IsAll<IsAscii>},
    {"isdecimal", "", IsAll<IsDigit>},
    {"isdigit", "", IsAll<IsDigit>},
    {"isidentifier", nullptr, nullptr},
    {"islower", "", IsCased<IsLower, IsUpper>},
    {"isnumeric", "", IsAll<IsDigit>},
    {"isprintable", nullptr, nullptr},
    {"isspace", "", IsAll<IsSpace>},
    {"istitle", nullptr, nullptr},
    {"isupper", "", IsCased<IsUpper, IsLower>},
    {"join", "!items", Join},
    {"ljust", "!width fill", Justify<'<'>},
    {"lower", "", ChangeCase<Case::kNone>},
    {"lstrip", "chars", Strip<true, false>},
    {"maketrans", nullptr, nullptr},
    {"partition", "!sep", Partition<false>},
    {"removeprefix", "!prefix",
     [](Call& c) { return Value(absl::StripPrefix(c.self.text(), c.Text(0))); }},
    {"removesuffix", "!suffix",
     [](Call& c) { return Value(absl::StripSuffix(c.self.text(), c.Text(0))); }},
    {"replace", "!old !new count", Replace},
    {"rfind", "!sub begin end", Find<true, false>},
    {"rindex", "!sub begin end", Find<true, true>},
    {"rjust", "!width fill", Justify<'>'>},
    {"rpartition", "!sep", Partition<true>},
    {"rsplit", "sep maxsplit", Split<true>},
    {"rstrip", "chars", Strip<false, true>},
    {"split", "sep maxsplit", Split<false>},
    {"splitlines", "keepends", SplitLines},
    {"startswith", "!prefix begin end", HasAffix<false>},
    {"strip", "chars", Strip<true, true>},
    {"swapcase", "", ChangeCase<Case::kSmall>},
    {"title", "", ChangeCase<Case::kFirstOfWord>},
    {"translate", nullptr, nullptr},
    {"upper", "", ChangeCase<Case::kAll>},
    {"zfill", "!width", Justify<'0'>}};

}  // namespace

const BuiltinTable kTextMethods = kRows;

}  // namespace gguf::jinja
