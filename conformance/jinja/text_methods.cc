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

size_t SizeOf(size_t count, string_view text) {
  size_t at = 0;
  for (; at < text.size() && count > 0; --count) {
    for (++at; at < text.size() && (text[at] & 0xc0) == 0x80;) ++at;
  }
  return at;
}

size_t FindText(Machine* m, string_view text, string_view what, size_t from, bool last) {
  if (what.empty()) return last ? text.size() : from;
  for (size_t at = last ? text.size() - 1 : from; at < text.size(); last ? --at : ++at) {
    const size_t found = last ? text.rfind(what[0], at) : text.find(what[0], at);
    const size_t passed = found == text.npos ? text.size() : last ? at - found : found - at;
    if (!m->Work(1 + (passed + what.size()) / 16) || found == text.npos) break;
    at = found;
    if (absl::StartsWith(text.substr(at), what)) return at;
  }
  return text.npos;
}

namespace {

// Letters.

// Capital letters whose small letter is `distance` further on; with `step` 2, every second one.
constexpr struct {
  uint32_t first, last, step;
  int distance;
} kCapitals[] = {
    {'A', 'Z', 1, 32},      {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},    {0x100, 0x12e, 2, 1},
    {0x132, 0x136, 2, 1},   {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},   {0x178, 0x178, 1, -121},
    {0x179, 0x17d, 2, 1},   {0x1cd, 0x1db, 2, 1},  {0x1de, 0x1ee, 2, 1},   {0x1f8, 0x21e, 2, 1},
    {0x222, 0x232, 2, 1},   {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37},  {0x38c, 0x38c, 1, 64},
    {0x38e, 0x38f, 1, 63},  {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32},  {0x400, 0x40f, 1, 80},
    {0x410, 0x42f, 1, 32},  {0x460, 0x480, 2, 1},  {0x48a, 0x4be, 2, 1},   {0x4c1, 0x4cd, 2, 1},
    {0x4d0, 0x52e, 2, 1},   {0x531, 0x556, 1, 48}, {0x1e00, 0x1e94, 2, 1}, {0x1ea0, 0x1efe, 2, 1},
    {0xff21, 0xff3a, 1, 32}};
constexpr uint32_t kSharpS = 0xdf;  // Two letters, as a capital.

uint32_t ToLower(uint32_t code) {
  for (const auto& row : kCapitals) {
    if (code < row.first || code > row.last) continue;
    return (code - row.first) % row.step == 0 ? code + row.distance : code;
  }
  return code;
}

uint32_t ToUpper(uint32_t code) {
  for (const auto& row : kCapitals) {
    const uint32_t capital = code - row.distance;
    if (capital < row.first || capital > row.last) continue;
    if ((capital - row.first) % row.step == 0) return capital;
  }
  return code;
}

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
enum Case { kNone, kAll, kFirst, kFirstOfWord, kSmall };

template <Case capitals>
Value ChangeCase(Call& c) {
  const string_view text = c.self.text();
  std::string out;
  bool is_first = capitals == kFirst || capitals == kFirstOfWord;
  for (size_t at = 0; at < text.size() && c.m.Work(1);) {
    const size_t begin = at;
    const uint32_t code = NextCodePoint(text, &at);
    const bool upper = is_first || capitals == kAll || (capitals == kSmall && IsLower(code));
    const uint32_t changed = upper ? ToUpper(code) : ToLower(code);
    if (upper && code == kSharpS) {
      out += capitals == kAll ? "SS" : "Ss";
    } else {
      changed != code ? AppendUtf8(changed, &out) : (void)out.append(&text[begin], at - begin);
    }
    is_first = capitals == kFirstOfWord && !IsUpper(code) && !IsLower(code);
  }
  return c.m.MakeString(out);
}

// Whether no character fails, and one passes.
template <bool (*passes)(uint32_t), bool (*fails)(uint32_t)>
Value IsAll(Call& c) {
  bool has_one = passes == IsAscii;
  for (size_t at = 0; at < c.self.size && c.m.Work(1);) {
    const uint32_t code = NextCodePoint(c.self.text(), &at);
    if (fails == nullptr ? !passes(code) : fails(code)) return Value(false);
    has_one |= passes(code);
  }
  return Value(has_one);
}

// Search.

// Returns the part between the arguments `i` and `i + 1`, as of a slice.
string_view Part(Call& c, size_t i) {
  const Value none(Kind::kNone);
  return c.m.Slice(c.self, c.Or(i, none), c.Or(i + 1, none), none).text();
}

template <bool last, bool raises>
Value Find(Call& c) {
  const string_view text = Part(c, 1);
  const size_t at = FindText(&c.m, text, c.Text(0), 0, last);
  if (c.m.failed()) return Value();
  if (at != text.npos) {
    return Value(CountCharacters(c.self.text().substr(0, text.data() + at - c.self.data)));
  }
  return raises ? c.m.Raise("substring not found") : Value(int64_t{-1});
}

Value Count(Call& c) {
  const string_view what = c.Text(0), text = Part(c, 1);
  size_t count = what.empty() ? CountCharacters(text) + 1 : 0;
  for (size_t at = 0; !what.empty(); at += what.size(), ++count) {
    at = FindText(&c.m, text, what, at);
    if (at == text.npos) break;
  }
  return Value(count);
}

// An affix may also be a tuple of them.
template <bool at_end>
Value HasAffix(Call& c) {
  const string_view text = Part(c, 1);
  std::vector<Value> affixes = {c.args[0]};
  if (c.args[0].is(Kind::kTuple)) affixes = c.args[0].list->items;
  for (const Value& affix : affixes) {
    if (!affix.is_string()) return c.m.Raise("first arg must be str or a tuple of str");
    const string_view is = affix.text();
    if (!c.m.Work(1 + is.size() / 16)) break;
    if (at_end ? absl::EndsWith(text, is) : absl::StartsWith(text, is)) return Value(true);
  }
  return Value(false);
}

// Parts.

string_view LastCharacter(string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xc0) == 0x80) --at;
  return text.substr(at);
}

template <bool left, bool right>
Value Strip(Call& c) {
  string_view text = c.self.text();
  const string_view some = c.Text(0);
  const auto is_one = [&](string_view character) {
    size_t at = 0;
    if (c.Has(0)) return FindText(&c.m, some, character) != text.npos;
    return c.m.Work(1) && IsSpace(NextCodePoint(character, &at));
  };
  while (left && !text.empty() && is_one(text.substr(0, SizeOf(1, text)))) {
    text.remove_prefix(SizeOf(1, text));
  }
  while (right && !text.empty() && is_one(LastCharacter(text))) {
    text.remove_suffix(LastCharacter(text).size());
  }
  return Value(text);
}

template <bool last>
Value Partition(Call& c) {
  const string_view what = c.Text(0), text = c.self.text();
  const size_t at = FindText(&c.m, text, what, 0, last);
  if (what.empty()) return c.m.Raise("empty separator");
  std::vector<Value> parts(3, Value(string_view("")));
  parts[last ? 2 : 0] = c.self;
  if (at != text.npos) {
    parts = {Value(text.substr(0, at)), c.args[0], Value(text.substr(at + what.size()))};
  }
  return c.m.MakeList(std::move(parts), Kind::kTuple);
}

// Splits into words; those beyond the limit are one part.
template <bool last>
Value SplitWords(Call& c, size_t most) {
  std::vector<Value> parts;
  string_view text = StripLeft(c.self.text());
  if (!c.m.Work(text.size() / 4)) return Value();
  for (; !text.empty() && c.m.Work(1); text = StripLeft(text)) {
    size_t size = 0;
    for (size_t at = 0; at < text.size() && !IsSpace(NextCodePoint(text, &at));) size = at;
    parts.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  if (parts.size() > most) {
    const Value& merged = parts[last ? parts.size() - most - 1 : most];
    const size_t begin = merged.data - c.self.data;
    const Value rest(last ? c.self.text().substr(0, begin + merged.size)
                          : c.self.text().substr(begin));
    parts.erase(last ? parts.begin() : parts.begin() + most,
                last ? parts.end() - most : parts.end());
    parts.insert(last ? parts.begin() : parts.end(), rest);
  }
  return c.m.MakeList(std::move(parts));
}

template <bool last>
Value Split(Call& c) {
  const int64_t limit = c.Integer(1, -1);
  const size_t most = limit < 0 ? string_view::npos : static_cast<size_t>(limit);
  const string_view separator = c.Text(0);
  if (!c.Has(0)) return SplitWords<last>(c, most);
  if (separator.empty()) return c.m.Raise("empty separator");
  std::vector<Value> parts;
  string_view text = c.self.text();
  while (parts.size() < most) {
    const size_t at = FindText(&c.m, text, separator, 0, last);
    if (at == text.npos || !c.m.Work(1)) break;
    parts.emplace_back(last ? text.substr(at + separator.size()) : text.substr(0, at));
    text = last ? text.substr(0, at) : text.substr(at + separator.size());
  }
  parts.emplace_back(text);
  if (last) absl::c_reverse(parts);
  return c.m.MakeList(std::move(parts));
}

Value SplitLines(Call& c) {
  const string_view text = c.self.text();
  std::vector<Value> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size() && c.m.Work(1);) {
    const size_t end = at;
    const uint32_t code = NextCodePoint(text, &at);
    const bool is_break = (code >= '\n' && code <= '\r') || (code >= 0x1c && code <= 0x1e);
    if (!is_break && code != 0x85 && code != 0x2028 && code != 0x2029) continue;
    if (code == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.emplace_back(text.substr(begin, (c.Flag(0) ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return c.m.MakeList(std::move(lines));
}

// Longer texts.

// Puts the text at the left, in the middle, at the right, or after zeros.
template <char where>
Value Justify(Call& c) {
  const int64_t width = c.Integer(0), margin = width - static_cast<int64_t>(c.m.Length(c.self));
  const string_view fill = c.Text(1, where == '0' ? "0" : " ");
  if (CountCharacters(fill) != 1) return c.m.Raise("The fill character must be one character");
  if (margin <= 0 || !c.m.Room(static_cast<double>(width), 0) || !c.m.Work(margin)) return c.self;
  const int64_t middle = margin / 2 + (margin & width & 1);
  const int64_t before = where == '<' ? 0 : where == '^' ? middle : margin;
  const bool has_sign = where == '0' && c.self.text().find_first_of("+-") == 0;
  std::string out(c.self.text().substr(0, has_sign));
  for (int64_t i = 0; i < before; ++i) absl::StrAppend(&out, fill);
  absl::StrAppend(&out, c.self.text().substr(has_sign));
  for (int64_t i = before; i < margin; ++i) absl::StrAppend(&out, fill);
  return c.m.MakeString(out);
}

Value Replace(Call& c) {
  const string_view text = c.self.text(), from = c.Text(0), to = c.Text(1);
  std::string out;
  size_t at = 0;
  for (int64_t left = c.Integer(2, -1); left != 0 && at <= text.size(); --left) {
    const size_t found = FindText(&c.m, text, from, at);
    if (found == text.npos || !c.m.Append(text.substr(at, found - at), &out)) break;
    c.m.Append(to, &out);
    at = found + from.size();
    // An empty text is between all characters, and at both ends.
    if (!from.empty()) continue;
    const string_view next = text.substr(at, SizeOf(1, text.substr(at)));
    c.m.Append(next, &out);
    at += std::max<size_t>(next.size(), 1);
  }
  if (at < text.size()) c.m.Append(text.substr(at), &out);
  return c.m.MakeString(out);
}

Value Join(Call& c) {
  for (const Value& item : c.m.Items(c.args[0])) {
    if (!item.is_string()) return c.m.Raise(absl::StrCat("expected str, not ", TypeName(item)));
  }
  return c.m.CallFilter("join", c.args[0], {{c.self}, {}});
}

constexpr Builtin kRows[] = {
    {"capitalize", "", ChangeCase<kFirst>},
    {"center", "!width fill", Justify<'^'>},
    {"count", "!sub begin end", Count},
    {"encode expandtabs format_map isidentifier isprintable istitle maketrans translate"},
    {"endswith", "!suffix begin end", HasAffix<true>},
    {"find", "!sub begin end", Find<false, false>},
    {"format", nullptr, FormatFields},
    {"index", "!sub begin end", Find<false, true>},
    {"isalnum", "", IsAll<IsLetterOrDigit, nullptr>},
    {"isalpha", "", IsAll<IsLetter, nullptr>},
    {"isascii", "", IsAll<IsAscii, nullptr>},
    {"isdigit isdecimal isnumeric", "", IsAll<IsDigit, nullptr>},
    {"islower", "", IsAll<IsLower, IsUpper>},
    {"isspace", "", IsAll<IsSpace, nullptr>},
    {"isupper", "", IsAll<IsUpper, IsLower>},
    {"join", "!items", Join},
    {"ljust", "!width fill", Justify<'<'>},
    {"lower casefold", "", ChangeCase<kNone>},
    {"lstrip", "chars", Strip<true, false>},
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
    {"swapcase", "", ChangeCase<kSmall>},
    {"title", "", ChangeCase<kFirstOfWord>},
    {"upper", "", ChangeCase<kAll>},
    {"zfill", "!width", Justify<'0'>}};

}  // namespace

const BuiltinTable kTextMethods = kRows;

}  // namespace gguf::jinja
