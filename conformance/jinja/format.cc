// Formats of Python: '%s' % x and '{}'.format(x).
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

constexpr int64_t kWidest = 1 << 30;

// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Spec {
  std::string fill = " ";
  char align = 0, sign = 0, grouping = 0, type = 0;
  bool is_alternate = false;
  int64_t width = 0, precision = -1;  // -1: none.
};

// Takes a character if it is one of these; else returns 0.
char Take(string_view* text, string_view choices) {
  if (text->empty() || !absl::StrContains(choices, text->front())) return 0;
  const char taken = text->front();
  text->remove_prefix(1);
  return taken;
}

int64_t TakeNumber(string_view* text) {
  int64_t number = 0;
  while (const char digit = Take(text, "0123456789")) {
    number = std::min(number * 10 + (digit - '0'), kWidest);
  }
  return number;
}

void Pad(Machine* m, const Spec& spec, string_view sign, string_view text, std::string* out) {
  const auto size = static_cast<int64_t>(CountCharacters(sign) + CountCharacters(text));
  const int64_t margin = std::max<int64_t>(spec.width - size, 0);
  if (!m->Room(static_cast<double>(margin)) || !m->Work(margin)) return;
  const int64_t before = spec.align == '<' ? 0 : spec.align == '^' ? margin / 2 : margin;
  if (spec.align == '=') m->Append(sign, out);
  for (int64_t i = 0; i < before; ++i) m->Append(spec.fill, out);
  if (spec.align != '=') m->Append(sign, out);
  m->Append(text, out);
  for (int64_t i = before; i < margin; ++i) m->Append(spec.fill, out);
}

void AppendNumber(Machine* m, const Value& value, Spec spec, std::string* out) {
  const bool is_integer =
      absl::StrContains("dboxX", spec.type) || (spec.type == 0 && value.is_integer());
  const int64_t precision = spec.precision < 0 ? 6 : spec.precision;
  if (value.is(Kind::kHuge) || spec.type == 'c' || spec.type == 'n')
    return (void)m->Unknown("this format of a number");
  if (is_integer ? !value.is_integer()
                 : !absl::StrContains(string_view("\0eEfFgG%", 8), spec.type)) {
    return (void)m->Raise(
        absl::StrCat("Unknown format code '", std::string(1, spec.type), "' for a number"));
  }
  if (!m->Room(static_cast<double>(precision)) || !m->Work(20 + precision / 4)) return;
  std::string text, sign(value.number() < 0 || std::signbit(value.number())
                             ? "-"
                             : std::string(spec.sign != 0, spec.sign));
  if (is_integer) {
    const int base = spec.type == 'b'          ? 2
                     : spec.type == 'o'        ? 8
                     : (spec.type | 32) == 'x' ? 16
                                               : 10;
    uint64_t rest = value.integer < 0 ? -static_cast<uint64_t>(value.integer) : value.integer;
    for (; rest != 0 || text.empty(); rest /= base)
      text += (spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
    if (spec.precision > static_cast<int64_t>(text.size())) text.resize(spec.precision, '0');
    std::reverse(text.begin(), text.end());
    if (spec.is_alternate && base != 10) sign += {'0', spec.type};
  } else if (spec.type == 0 && spec.precision < 0) {
    text = FloatText(std::abs(value.number()));
  } else {
    const double number = std::abs(value.number()) * (spec.type == '%' ? 100 : 1);
    const char format[] = {'%', '.', '*',
                           spec.type == 0     ? 'g'
                           : spec.type == '%' ? 'f'
                                              : spec.type,
                           0};
    text.resize(static_cast<size_t>(precision) + 400);
    text.resize(std::snprintf(&text[0], text.size(), format, static_cast<int>(precision), number));
    if (spec.type == 0 && text.find_first_not_of("0123456789") == std::string::npos) text += ".0";
    if (spec.type == '%') text += '%';
  }
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  for (size_t at = digits; spec.grouping != 0 && at > 3; at -= 3)
    text.insert(at - 3, 1, spec.grouping);
  if (spec.align == 0) spec.align = '>';
  Pad(m, spec, sign, text, out);
}

void AppendText(Machine* m, const Value& value, Spec spec, std::string* out) {
  const Value text = m->ToText(value);
  const size_t size = spec.precision < 0 ? text.size : SizeOf(spec.precision, text.text());
  if (spec.align == 0) spec.align = '<';
  Pad(m, spec, "", text.text().substr(0, size), out);
}

}  // namespace

Value FormatPercent(Machine* m, string_view format, const Value& values) {
  const bool is_tuple = values.is(Kind::kTuple);
  const size_t given = is_tuple ? values.list->items.size() : 1;
  size_t used = 0;
  std::string out;
  const auto next = [&] {
    if (used == given) return m->Raise("not enough arguments for format string");
    return is_tuple ? values.list->items[used++] : (++used, values);
  };
  for (size_t plain = 0; !m->failed();) {
    plain = std::min(format.find('%'), format.size());
    m->Append(format.substr(0, plain), &out);
    if (plain == format.size()) break;
    format.remove_prefix(plain + 1);
    Value value(Kind::kMissing);
    if (Take(&format, "(")) {
      const string_view name = format.substr(0, format.find(')'));
      const Value* found = values.is_dict() ? values.dict->Find(name) : nullptr;
      if (found == nullptr)
        return m->Raise(values.is_dict() ? absl::StrCat("'", name, "'")
                                         : "format requires a mapping");
      value = *found;
      format.remove_prefix(std::min(name.size() + 1, format.size()));
    }
    Spec spec;
    spec.align = '>';
    while (const char flag = Take(&format, "-+ #0")) {
      if (flag == '-') spec.align = '<';
      if (flag == '+' || flag == ' ') spec.sign = flag;
      if (flag == '#') spec.is_alternate = true;
      if (flag == '0' && spec.align == '>') spec.align = '=';
    }
    spec.width = Take(&format, "*") ? next().integer : TakeNumber(&format);
    if (Take(&format, "."))
      spec.precision = Take(&format, "*") ? next().integer : TakeNumber(&format);
    spec.type = Take(&format, "diuoxXeEfFgGcrsa%");
    if (spec.type == 0) return m->Raise("unsupported format character");
    if (spec.type == '%') {
      m->Append("%", &out);
      continue;
    }
    if (value.is(Kind::kMissing)) value = next();
    if (absl::StrContains("rsa", spec.type)) {
      if (spec.align == '=') spec.align = '>';
      AppendText(m, spec.type == 's' ? value : m->MakeString(m->Repr(value)), spec, &out);
      continue;
    }
    if (!value.is_number() && spec.type != 'c')
      return m->Raise(absl::StrCat("a number is required, not ", TypeName(value)));
    if (absl::StrContains("diu", spec.type)) {
      spec.type = 'd';
      value = m->CallFilter("int", value);
    }
    if (spec.align == '=') spec.fill = "0";
    AppendNumber(m, value, spec, &out);
  }
  // As in Python, all that has elements may have names.
  const bool may_have_names = values.is(Kind::kList) || values.is(Kind::kRange) ||
                              values.is_dict() || values.is_undefined();
  if (used < given && !may_have_names) {
    return m->Raise("not all arguments converted during string formatting");
  }
  return m->MakeString(out);
}

namespace {

// Fills in the fields of one format.
class Fields {
 public:
  explicit Fields(Call* call) : call_(*call), m_(call->m) {}

  // `depth` counts fields that are in others.
  void Append(string_view format, int depth, std::string* out) {
    while (!m_.failed()) {
      const size_t plain = std::min(format.find_first_of("{}"), format.size());
      m_.Append(format.substr(0, plain), out);
      format.remove_prefix(plain);
      if (format.empty()) return;
      if (absl::StartsWith(format, "{{") || absl::StartsWith(format, "}}")) {
        m_.Append(format.substr(0, 1), out);
        format.remove_prefix(2);
        continue;
      }
      size_t end = 1;
      for (int open = 1; end < format.size() && open > 0; ++end)
        open += format[end] == '{' ? 1 : format[end] == '}' ? -1 : 0;
      if (format[0] == '}' || format[end - 1] != '}' || depth > 1)
        return (void)m_.Raise("the braces of a format do not match");
      AppendField(format.substr(1, end - 2), depth, out);
      format.remove_prefix(end);
    }
  }

 private:
  void AppendField(string_view field, int depth, std::string* out) {
    const size_t name_size = std::min(field.find_first_of("!:"), field.size());
    string_view rest = field.substr(name_size);
    Value value = Find(field.substr(0, name_size));
    if (Take(&rest, "!")) {
      const char conversion = Take(&rest, "rsa");
      value = conversion == 's' ? m_.ToText(value) : m_.MakeString(m_.Repr(value));
    }
    std::string text;
    if (Take(&rest, ":")) Append(rest, depth + 1, &text);
    const Spec spec = Parse(text);
    const bool is_plain = value.is_string() || value.is_undefined() || text.empty();
    if (value.is_number() && !(value.is(Kind::kBoolean) && text.empty())) {
      AppendNumber(&m_, value, spec, out);
    } else if (!is_plain || (spec.type != 0 && spec.type != 's')) {
      m_.Raise(absl::StrCat("unsupported format of ", TypeName(value)));
    } else {
      AppendText(&m_, value, spec, out);
    }
  }

  Spec Parse(string_view text) {
    Spec spec;
    const size_t first = SizeOf(1, text);
    if (first < text.size() && absl::StrContains("<>=^", text[first])) {
      spec.fill = std::string(text.substr(0, first));
      text.remove_prefix(first);
    }
    spec.align = Take(&text, "<>=^");
    spec.sign = Take(&text, "-+ ");
    if (spec.sign == '-') spec.sign = 0;
    spec.is_alternate = Take(&text, "#") != 0;
    if (Take(&text, "0") && spec.align == 0) {
      spec.align = '=';
      spec.fill = "0";
    }
    spec.width = TakeNumber(&text);
    spec.grouping = Take(&text, ",_");
    if (Take(&text, ".")) spec.precision = TakeNumber(&text);
    if (!text.empty()) spec.type = text[0];
    if (text.size() > 1) m_.Raise("Invalid format specifier");
    return spec;
  }

  // Returns the argument of a field, as in name.attribute[key].
  Value Find(string_view path) {
    const string_view name = path.substr(0, path.find_first_of(".["));
    uint32_t index = 0;
    Value value(Kind::kMissing);
    if (name.empty() || absl::SimpleAtoi(name, &index)) {
      if (name.empty()) index = next_++;
      if (index < call_.all.values.size()) value = call_.all.values[index];
    }
    for (const auto& each : call_.all.named) {
      if (each.first == name) value = each.second;
    }
    if (value.is(Kind::kMissing))
      return m_.Raise(absl::StrCat("format() has no argument '", name, "'"));
    for (path.remove_prefix(name.size()); !path.empty();) {
      const bool is_key = path[0] == '[';
      const size_t end = std::min(path.find_first_of(is_key ? "]" : ".[", 1), path.size());
      const string_view part = path.substr(1, end - 1);
      const bool is_index = is_key && absl::SimpleAtoi(part, &index);
      value = !is_key ? m_.Attribute(value, part)
                      : m_.Subscript(value, is_index ? Value(int64_t{index}) : Value(part));
      path.remove_prefix(std::min(end + is_key, path.size()));
    }
    return value;
  }

  Call& call_;
  Machine& m_;
  uint32_t next_ = 0;
};

}  // namespace

Value FormatFields(Call& c) {
  std::string out;
  Fields(&c).Append(c.self.text(), 0, &out);
  return c.m.MakeString(out);
}

}  // namespace gguf::jinja
