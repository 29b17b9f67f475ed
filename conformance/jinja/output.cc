// How values are written: str(), repr(), JSON, and formats.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/base/text.h"
#include "conformance/jinja/builtins.h"

namespace gguf::jinja {

using absl::string_view;

// Of each Kind.
constexpr string_view kTypeNames[] = {"NoneType",
                                      "Undefined",
                                      "NoneType",
                                      "bool",
                                      "int",
                                      "float",
                                      "int",
                                      "str",
                                      "list",
                                      "tuple",
                                      "range",
                                      "dict_items",
                                      "generator",
                                      "dict",
                                      "Namespace",
                                      "function",
                                      "builtin_function_or_method",
                                      "Macro",
                                      "LoopContext"};

string_view TypeName(const Value& value) { return kTypeNames[static_cast<size_t>(value.kind)]; }

std::string FloatText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  const string_view text(buffer, end.ptr - buffer);
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(buffer + e + (text[e + 1] == '+' ? 2 : 1), end.ptr, exponent);
  if (exponent < -4 || exponent >= 16) {
    return absl::StrFormat("%se%+03d", text.substr(0, e), exponent);
  }
  const int digits = static_cast<int>(e) - (value < 0 ? 1 : 0) - (e > 2 ? 1 : 0);
  return absl::StrFormat("%.*f", std::max(digits - 1 - exponent, 1), value);
}

// Values.

namespace {

// Ranges of characters that repr() escapes.
constexpr uint32_t kEscaped[][2] = {
    {0, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},   {0x61c, 0x61c},
    {0x6dd, 0x6dd},   {0x70f, 0x70f},     {0x1680, 0x1680},   {0x180e, 0x180e}, {0x2000, 0x200f},
    {0x2028, 0x202f}, {0x205f, 0x206f},   {0x3000, 0x3000},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
    {0xfff9, 0xfffb}, {0xe0001, 0xe007f}, {0xf0000, 0x10ffff}};

// Writes values as Python or as JSON.
class Writer {
 public:
  Writer(Machine* machine, std::string* out) : machine_(*machine), out_(out) {}

  bool is_json = false, is_ascii = false, has_lines = false, sorts_keys = false;
  std::string indent;
  string_view comma = ", ", colon = ": ";

  void Write(const Value& value) {
    const Machine::Level level(&machine_);
    if (!machine_.Work(1)) return;
    if (value.is_none()) return Put(is_json ? "null" : "None");
    if (value.is_string()) return WriteString(value.text());
    if (value.is(Kind::kHuge)) return void(machine_.Unknown("integers beyond 64 bits"));
    if (value.is(Kind::kInteger)) return Put(absl::StrCat(value.integer));
    if (value.is(Kind::kBoolean)) {
      return Put(value.integer != 0 ? (is_json ? "true" : "True") : (is_json ? "false" : "False"));
    }
    if (value.is(Kind::kFloat) && is_json && !std::isfinite(value.real)) {
      return Put(std::isnan(value.real) ? "NaN" : value.real < 0 ? "-Infinity" : "Infinity");
    }
    if (value.is_number()) return Put(FloatText(value.real));
    if (value.is_sequence()) return WriteList(value);
    if (value.is_dict()) return WriteDict(value);
    if (is_json) {
      machine_.Raise(absl::StrCat("Object of type ", TypeName(value), " is not JSON serializable"));
    } else if (value.is(Kind::kView)) {
      Put("dict_items(");
      WriteList(value);
      Put(")");
    } else if (value.is(Kind::kNamespace)) {
      Put("<Namespace ");
      WriteDict(value);
      Put(">");
    } else if (value.is(Kind::kRange) && value.list->items.empty()) {
      Put("range(0, 0)");
    } else if (value.is(Kind::kRange)) {
      Put(absl::StrCat("range(", value.list->items[0].integer, ", ",
                       value.list->items.back().integer + 1, ")"));
    } else {  // Python adds the address.
      Put(value.is_undefined() ? "Undefined" : absl::StrCat("<", TypeName(value), ">"));
    }
  }

 private:
  void Put(string_view part) { machine_.Append(part, out_); }

  void WriteList(const Value& value) {
    const bool is_tuple = value.is(Kind::kTuple) && !is_json;
    Put(is_tuple ? "(" : "[");
    ++depth_;
    for (const Value& item : value.list->items) {
      if (machine_.failed()) return;
      BreakLine(&item == value.list->items.data() ? "" : comma);
      Write(item);
    }
    --depth_;
    if (is_tuple && value.list->items.size() == 1) Put(",");
    if (!value.list->items.empty()) BreakLine("");
    Put(is_tuple ? ")" : "]");
  }

  void WriteDict(const Value& value) {
    auto entries = value.dict->entries;
    if (sorts_keys) {
      absl::c_stable_sort(entries, [&](const auto& a, const auto& b) {
        return machine_.Compare("<", a.first, b.first);
      });
    }
    Put("{");
    ++depth_;
    bool is_first = true;
    for (const auto& [key, item] : entries) {
      if (machine_.failed()) return;
      BreakLine(std::exchange(is_first, false) ? "" : comma);
      const bool is_quoted = is_json && !key.is_string();
      if (is_quoted && !key.is_number() && !key.is_none()) {
        machine_.Raise(
            absl::StrCat("keys must be str, int, float, bool or None, not ", TypeName(key)));
      }
      if (is_quoted) Put("\"");
      Write(key);
      if (is_quoted) Put("\"");
      Put(colon);
      Write(item);
    }
    --depth_;
    if (!entries.empty()) BreakLine("");
    Put("}");
  }

  void BreakLine(string_view before) {
    Put(before);
    if (!has_lines) return;
    Put("\n");
    for (size_t i = 0; i < depth_ && !machine_.failed(); ++i) Put(indent);
  }

  void WriteString(string_view text) {
    if (!machine_.Work(text.size() / 2)) return;
    const bool has_single = absl::StrContains(text, '\''),
               has_double = absl::StrContains(text, '"');
    std::string quoted(1, is_json || (has_single && !has_double) ? '"' : '\'');
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      const uint32_t code = NextCodePoint(text, &at);
      const size_t known = code < 0x80 ? string_view("\n\r\t\b\f").find(char(code)) : 9;
      const bool is_escaped = code != kBadCodePoint &&
                              (is_json ? code < 0x20 || (is_ascii && code >= 0x7f)
                                       : absl::c_any_of(kEscaped, [&](const uint32_t(&range)[2]) {
                                           return range[0] <= code && code <= range[1];
                                         }));
      if (code == '\\' || code == static_cast<uint32_t>(quoted[0])) {
        quoted += {'\\', static_cast<char>(code)};
      } else if (is_escaped && known < (is_json ? 5 : 3)) {
        quoted += {'\\', "nrtbf"[known]};
      } else if (!is_escaped) {
        quoted.append(text.data() + begin, at - begin);
      } else if (is_json && code >= 0x10000) {
        absl::StrAppendFormat(&quoted, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
                              0xdc00 + (code & 0x3ff));
      } else if (is_json || code >= 0x100) {
        absl::StrAppendFormat(&quoted, code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
      } else {
        absl::StrAppendFormat(&quoted, "\\x%02x", code);
      }
    }
    quoted += quoted[0];
    Put(quoted);
  }

  Machine& machine_;
  std::string* const out_;
  size_t depth_ = 0;
};

}  // namespace

std::string Machine::Repr(const Value& value) {
  std::string text;
  Writer(this, &text).Write(value);
  return text;
}

bool Machine::AppendText(const Value& value, std::string* out) {
  if (value.is_string()) return Append(value.text(), out);
  if (!value.is_undefined()) Writer(this, out).Write(value);
  return !failed();
}

Value Machine::ToText(const Value& value) {
  std::string text;
  if (value.is_string()) return value;
  return AppendText(value, &text) ? MakeString(text) : Value();
}

Value ToJson(Call& c) {
  std::string out;
  Writer writer(&c.machine, &out);
  writer.is_json = true;
  writer.is_ascii = c.Flag(0);
  writer.has_lines = c.Has(1);
  writer.sorts_keys = c.Flag(3);
  if (c.args[1].is_string()) {
    writer.indent = std::string(c.args[1].text());
  } else if (c.Has(1)) {
    const int64_t width = std::max<int64_t>(c.Integer(1), 0);
    if (!c.machine.Room(static_cast<double>(width))) return Value();
    writer.indent.assign(width, ' ');
  }
  if (writer.has_lines) writer.comma = ",";
  if (c.Has(2)) {
    const std::vector<Value>& pair = c.machine.Iterate(c.args[2])->items;
    if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      return c.machine.Raise("separators must be two strings");
    }
    writer.comma = pair[0].text();
    writer.colon = pair[1].text();
  }
  writer.Write(c.self);
  return c.machine.MakeString(out);
}

// Formats.

namespace {

// [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Spec {
  string_view fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, has_precision = false;
  int64_t width = 0, precision = 0;
};

char Take(string_view* text, string_view choices) {
  if (text->empty() || !absl::StrContains(choices, text->front())) return 0;
  const char c = text->front();
  text->remove_prefix(1);
  return c;
}

// Takes digits; a number beyond what a value may have is cut.
int64_t TakeNumber(string_view* text) {
  int64_t number = 0;
  while (const char digit = Take(text, "0123456789")) {
    number = std::min<int64_t>(number * 10 + (digit - '0'), 1 << 30);
  }
  return number;
}

// Appends `body`, whose first `sign_size` bytes are a sign or a prefix, padded to the width.
void Pad(Machine* machine, string_view body, size_t sign_size, const Spec& spec, std::string* out) {
  const int64_t missing = spec.width - static_cast<int64_t>(CountCharacters(body));
  if (missing > 0 && !machine->Room(static_cast<double>(missing))) return;
  const size_t margin = missing > 0 ? missing : 0;
  const size_t left = spec.align == '<' ? 0 : spec.align == '^' ? margin / 2 : margin;
  if (spec.align == '=') machine->Append(body.substr(0, sign_size), out);
  for (size_t i = 0; i < left; ++i) machine->Append(spec.fill, out);
  machine->Append(body.substr(spec.align == '=' ? sign_size : 0), out);
  for (size_t i = left; i < margin; ++i) machine->Append(spec.fill, out);
}

// Puts a separator between the groups of the digits at the beginning.
void Group(char separator, size_t group, std::string* digits) {
  const size_t end = digits->find_first_not_of("0123456789abcdefABCDEF");
  for (size_t at = std::min(end, digits->size()); separator != 0 && at > group; at -= group) {
    digits->insert(at - group, 1, separator);
  }
}

// Appends a number as the spec asks for; the types are those of both kinds of formats.
void FormatNumber(Machine* machine, const Value& value, Spec spec, std::string* out) {
  const char type = spec.type;
  if (value.is(Kind::kHuge)) return void(machine->Unknown("integers beyond 64 bits"));
  std::string digits, sign;
  bool is_negative = value.is(Kind::kFloat) ? std::signbit(value.real) : value.integer < 0;
  if (value.is_integer() && (type == 0 || absl::StrContains("dnboxX", type))) {
    if (spec.has_precision) return void(machine->Raise("Precision not allowed in integer format"));
    uint64_t rest = value.integer < 0 ? -static_cast<uint64_t>(value.integer) : value.integer;
    const int base = type == 'b' ? 2 : type == 'o' ? 8 : (type | 32) == 'x' ? 16 : 10;
    const char* characters = type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    do {
      digits.insert(0, 1, characters[rest % base]);
      rest /= base;
    } while (rest != 0);
    Group(spec.grouping, base == 10 ? 3 : 4, &digits);
    if (spec.alternate && base != 10) sign = {'0', type};
  } else if (type == 0 || absl::StrContains("eEfFgGn%", type)) {
    const double number = std::abs(value.number()) * (type == '%' ? 100 : 1);
    const int64_t precision = spec.has_precision ? spec.precision : 6;
    if (!machine->Room(static_cast<double>(precision) + 400)) return;
    if (type == 0 && !spec.has_precision) {
      digits = FloatText(number);
    } else {
      const std::string format = {'%', '.', '*',
                                  type == 0 || type == 'n' ? 'g'
                                  : type == '%'            ? 'f'
                                                           : type};
      digits.resize(precision + 400);
      const std::string unused;
      digits.resize(
          std::snprintf(digits.data(), digits.size(), format.c_str(), int(precision), number));
      if (type == 0 && digits.find_first_not_of("0123456789") == std::string::npos) digits += ".0";
    }
    Group(spec.grouping, 3, &digits);
    if (type == '%') digits += '%';
  } else {
    return void(machine->Raise(absl::StrCat("Unknown format code '", string_view(&type, 1),
                                            "' for object of type '", TypeName(value), "'")));
  }
  if (is_negative || spec.sign != '-') sign.insert(0, 1, is_negative ? '-' : spec.sign);
  if (spec.align == 0) spec.align = '>';
  Pad(machine, absl::StrCat(sign, digits), sign.size(), spec, out);
}

void FormatText(Machine* machine, string_view text, Spec spec, std::string* out) {
  if (spec.has_precision) text = text.substr(0, CharacterOffset(text, spec.precision));
  if (spec.align == 0) spec.align = '<';
  Pad(machine, text, 0, spec, out);
}

}  // namespace

Value FormatPercent(Machine* machine, string_view format, const Value& values) {
  const bool is_tuple = values.is(Kind::kTuple);
  size_t used = 0;
  const auto next = [&] {
    if (is_tuple && used < values.list->items.size()) return values.list->items[used++];
    if (!is_tuple && used++ == 0) return values;
    return machine->Raise("not enough arguments for format string");
  };
  std::string out;
  bool has_names = false;
  while (!format.empty() && !machine->failed()) {
    const size_t plain = std::min(format.find('%'), format.size());
    machine->Append(format.substr(0, plain), &out);
    format.remove_prefix(std::min(plain + 1, format.size()));
    if (format.empty()) break;
    Value value(Kind::kMissing);
    if (Take(&format, "(")) {
      const size_t end = std::min(format.find(')'), format.size());
      if (!values.is_dict()) return machine->Raise("format requires a mapping");
      const Value* found = values.dict->Find(format.substr(0, end));
      if (found == nullptr) return machine->Raise(absl::StrCat("'", format.substr(0, end), "'"));
      value = *found;
      has_names = true;
      format.remove_prefix(std::min(end + 1, format.size()));
    }
    Spec spec;
    spec.align = '>';
    while (const char flag = Take(&format, "-+ #0")) {
      if (flag == '-') spec.align = '<';
      if (flag == '+' || flag == ' ') spec.sign = flag;
      if (flag == '#') spec.alternate = true;
      if (flag == '0' && spec.align != '<') spec.align = '=', spec.fill = "0";
    }
    spec.width = Take(&format, "*") ? next().integer : TakeNumber(&format);
    spec.has_precision = Take(&format, ".") != 0;
    if (spec.has_precision)
      spec.precision = Take(&format, "*") ? next().integer : TakeNumber(&format);
    while (Take(&format, "hlL")) continue;
    spec.type = Take(&format, "diuoxXeEfFgGcrsa%");
    if (spec.type == 0) return machine->Raise("unsupported format character");
    if (spec.type == '%') {
      machine->Append("%", &out);
      continue;
    }
    if (value.is(Kind::kMissing)) value = next();
    if (absl::StrContains("crsa", spec.type)) {
      if (spec.type == 'c' || spec.type == 'a') return machine->Unknown("%c and %a");
      if (spec.align == '=') spec.align = '>', spec.fill = " ";
      FormatText(machine,
                 spec.type == 'r' ? machine->MakeString(machine->Repr(value)).text()
                                  : machine->ToText(value).text(),
                 spec, &out);
      continue;
    }
    if (!value.is_number())
      return machine->Raise(absl::StrCat("%", string_view(&spec.type, 1),
                                         " format: a number is required, not ", TypeName(value)));
    if (absl::StrContains("diu", spec.type)) {
      spec.type = 'd';
      if (value.is(Kind::kFloat)) value = machine->CallFilter("int", value);
    }
    FormatNumber(machine, value, spec, &out);
  }
  const bool is_used = is_tuple ? used == values.list->items.size() : used > 0 || values.is_dict();
  if (!is_used && !has_names)
    return machine->Raise("not all arguments converted during string formatting");
  return machine->MakeString(out);
}

namespace {

class FieldFormatter {
 public:
  explicit FieldFormatter(Call* call) : call_(*call), machine_(call->machine) {}

  // Appends the text with its fields filled in.  `depth` counts fields in specs.
  void Format(string_view format, int depth, std::string* out) {
    while (!format.empty() && !machine_.failed()) {
      const size_t plain = std::min(format.find_first_of("{}"), format.size());
      machine_.Append(format.substr(0, plain), out);
      format.remove_prefix(plain);
      if (format.empty()) return;
      const char brace = format[0];
      format.remove_prefix(1);
      if (!format.empty() && format[0] == brace) {
        machine_.Append(format.substr(0, 1), out);
        format.remove_prefix(1);
        continue;
      }
      size_t end = 0;
      for (int open = 1; end < format.size() && open > 0; ++end)
        open += format[end] == '{' ? 1 : format[end] == '}' ? -1 : 0;
      if (brace == '}' || end == 0 || format[end - 1] != '}' || depth > 1)
        return void(machine_.Raise("the braces of a format do not match"));
      Field(format.substr(0, end - 1), depth, out);
      format.remove_prefix(end);
    }
  }

 private:
  void Field(string_view field, int depth, std::string* out) {
    const size_t name_size = std::min(field.find_first_of("!:"), field.size());
    string_view rest = field.substr(name_size);
    Value value = Find(field.substr(0, name_size));
    if (Take(&rest, "!")) {
      const char conversion = Take(&rest, "rsa");
      value = conversion == 'r'   ? machine_.MakeString(machine_.Repr(value))
              : conversion == 's' ? machine_.ToText(value)
                                  : machine_.Unknown("!a");
    }
    std::string text;
    if (Take(&rest, ":")) Format(rest, depth + 1, &text);
    if (machine_.failed()) return;
    Spec spec = Parse(text);
    if (value.is_number() && !(value.is(Kind::kBoolean) && text.empty()))
      return FormatNumber(&machine_, value, spec, out);
    if (!value.is_string() && !value.is_undefined() && !text.empty())
      return void(machine_.Raise(
          absl::StrCat("unsupported format string passed to ", TypeName(value), ".__format__")));
    FormatText(&machine_, machine_.ToText(value).text(), spec, out);
  }

  Spec Parse(string_view text) {
    Spec spec;
    const size_t first = CharacterOffset(text, 1);
    if (first < text.size() && absl::StrContains("<>=^", text[first])) {
      spec.fill = text.substr(0, first);
      spec_fill_ = std::string(spec.fill);
      spec.fill = spec_fill_;
      text.remove_prefix(first);
    }
    spec.align = Take(&text, "<>=^");
    if (const char sign = Take(&text, "-+ ")) spec.sign = sign;
    spec.alternate = Take(&text, "#") != 0;
    if (Take(&text, "0") && spec.align == 0) spec.align = '=', spec.fill = "0";
    spec.width = TakeNumber(&text);
    spec.grouping = Take(&text, ",_");
    spec.has_precision = Take(&text, ".") != 0;
    spec.precision = TakeNumber(&text);
    if (!text.empty()) spec.type = text[0];
    if (text.size() > 1) machine_.Raise("Invalid format specifier");
    return spec;
  }

  // name.attribute[key]
  Value Find(string_view path) {
    const size_t size = std::min(path.find_first_of(".["), path.size());
    const string_view name = path.substr(0, size);
    int64_t index = 0;
    Value value(Kind::kMissing);
    if (name.empty() || absl::SimpleAtoi(name, &index)) {
      if (name.empty()) index = next_++;
      if (index >= 0 && index < int64_t(call_.all.values.size())) value = call_.all.values[index];
    }
    for (const auto& each : call_.all.named) {
      if (each.first == name) value = each.second;
    }
    if (value.is(Kind::kMissing))
      return machine_.Raise(absl::StrCat("no argument '", name, "' of format()"));
    for (path.remove_prefix(size); !path.empty();) {
      const bool is_key = path[0] == '[';
      const size_t end =
          std::min(is_key ? path.find(']') : path.find_first_of(".[", 1), path.size());
      const string_view part = path.substr(1, end - 1);
      path.remove_prefix(std::min(end + is_key, path.size()));
      if (!is_key)
        value = machine_.Attribute(value, part);
      else
        value =
            machine_.Subscript(value, absl::SimpleAtoi(part, &index) ? Value(index) : Value(part));
    }
    return value;
  }

  Call& call_;
  Machine& machine_;
  size_t next_ = 0;
  std::string spec_fill_;
};

}  // namespace

Value FormatFields(Call& c) {
  std::string out;
  FieldFormatter(&c).Format(c.self.text(), 0, &out);
  return c.machine.MakeString(out);
}

}  // namespace gguf::jinja
