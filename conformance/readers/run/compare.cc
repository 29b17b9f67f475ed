// Compares answers entry by entry, and values word by word.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "absl/base/casts.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/base/text.h"
#include "conformance/readers/protocol/value_words.h"
#include "conformance/readers/run/judge.h"

namespace gguf::readers {
namespace {

using Step = ValueWords::Step;
using MaybeDifference = std::optional<Difference>;

// Parses the bits of a float of either size, in hex.
double FloatOf(const ValueType& type, absl::string_view word) {
  uint64_t bits = 0;
  if (!absl::SimpleHexAtoi(word, &bits)) return 0;  // Cannot fail: checked before.
  return type.size == 4 ? absl::bit_cast<float>(static_cast<uint32_t>(bits))
                        : absl::bit_cast<double>(bits);
}

// Returns an integer that fits u64 or i64 in decimal, otherwise an empty
// string.
std::string WholeNumber(double number) {
  if (number != std::floor(number)) return "";
  if (number >= 0 && number < 0x1p64) {
    return absl::StrCat(static_cast<uint64_t>(number));
  }
  if (number < 0 && number >= -0x1p63) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  return "";
}

bool IsInteger(const ValueType& type) {
  return type.kind == ValueKind::kUnsigned || type.kind == ValueKind::kSigned;
}

// Numbers of different types are equal if they are exactly the same number.
bool EqualNumbers(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  const bool a_is_float = a.type().kind == ValueKind::kFloat;
  const bool b_is_float = b.type().kind == ValueKind::kFloat;
  if (IsInteger(a.type()) && IsInteger(b.type())) return a.word() == b.word();
  if (a_is_float && b_is_float) {
    const double x = FloatOf(a.type(), a.word());
    const double y = FloatOf(b.type(), b.word());
    if (std::isnan(x) || std::isnan(y)) {
      return caps.nan_canon && std::isnan(x) && std::isnan(y);
    }
    return x == y && std::signbit(x) == std::signbit(y);
  }
  if (a_is_float && IsInteger(b.type())) {
    return WholeNumber(FloatOf(a.type(), a.word())) == b.word();
  }
  if (b_is_float && IsInteger(a.type())) return EqualNumbers(b, a, caps);
  return false;
}

// Returns the text by which keys, names and strings are compared.  With
// lossy-utf8, each run of U+FFFD and bytes that are not UTF-8 becomes one
// U+FFFD.
std::string ComparedText(absl::string_view text, const Caps& caps) {
  constexpr char kReplacement[] = "\xEF\xBF\xBD";
  if (!caps.lossy_utf8) return std::string(text);
  std::string compared;
  bool in_run = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t code_point = NextCodePoint(text, &at);
    const bool lost = code_point == kBadCodePoint || code_point == 0xFFFD;
    if (!lost) absl::StrAppend(&compared, text.substr(begin, at - begin));
    if (lost && !in_run) compared += kReplacement;
    in_run = lost;
  }
  return compared;
}

bool EqualScalars(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  if (&a.type() != &b.type()) return caps.untyped && EqualNumbers(a, b, caps);
  if (a.word() == b.word()) return true;
  switch (a.type().kind) {
    case ValueKind::kFloat:
      return caps.nan_canon && std::isnan(FloatOf(a.type(), a.word())) &&
             std::isnan(FloatOf(b.type(), b.word()));
    case ValueKind::kString: {
      std::string a_text, b_text;
      return caps.lossy_utf8 && ParseHex(a.word(), &a_text) && ParseHex(b.word(), &b_text) &&
             ComparedText(a_text, caps) == ComparedText(b_text, caps);
    }
    default:
      return false;
  }
}

bool EqualArrays(const ValueWords& a, const ValueWords& b, const Caps& caps) {
  return a.length() == b.length() && (caps.untyped || &a.type() == &b.type());
}

std::string ShowStep(Step step, const ValueWords& at) {
  switch (step) {
    case ValueWords::kArray:
      return absl::StrCat("arr ", at.type().name, " of ", at.length());
    case ValueWords::kScalar:
      break;
    case ValueWords::kEnd:
    case ValueWords::kBad:
      return "no value";
  }
  std::string text;
  if (at.type().kind == ValueKind::kString && ParseHex(at.word(), &text)) {
    return absl::StrCat(at.type().name, " ", Quote(text));
  }
  if (at.type().kind == ValueKind::kFloat) {
    return absl::StrFormat("%s %s (%.17g)", at.type().name, std::string(at.word()),
                           FloatOf(at.type(), at.word()));
  }
  return absl::StrCat(at.type().name, " ", at.word());
}

bool Equal(Step a_step, const ValueWords& a, Step b_step, const ValueWords& b, const Caps& caps) {
  if (a_step != b_step || a_step == ValueWords::kBad) return false;
  if (a_step == ValueWords::kScalar) return EqualScalars(a, b, caps);
  return EqualArrays(a, b, caps);
}

// Returns the first difference of two values ("arr u32 2 7 8"), if any.  Its
// path is the position within the value: "", "[1]".  The quirks of `caps` are
// excused.
MaybeDifference CompareValues(absl::string_view expected, absl::string_view observed,
                              const Caps& caps) {
  if (expected == observed) return std::nullopt;
  ValueWords a(expected), b(observed);
  for (;;) {
    const Step a_step = a.Next();
    const Step b_step = b.Next();
    if (a_step == ValueWords::kEnd && b_step == ValueWords::kEnd) {
      return std::nullopt;
    }
    if (!Equal(a_step, a, b_step, b, caps)) {
      return Difference{a.Place(), ShowStep(a_step, a), ShowStep(b_step, b)};
    }
  }
}

// Formats a value for humans: short and escaped.
std::string ShowValue(absl::string_view value) {
  ValueWords words(value);
  const Step step = words.Next();
  return ShowStep(step, words);
}

bool IsNanBits(uint32_t bits) { return std::isnan(absl::bit_cast<float>(bits)); }

std::string ShowFloatBits(uint32_t bits) {  // "3f800000 (1)"
  return absl::StrFormat("%08x (%.9g)", bits, absl::bit_cast<float>(bits));
}

constexpr char kNothing[] = "nothing";

std::string Path(absl::string_view list, absl::string_view name, absl::string_view member) {
  return absl::StrCat(list, "[", Escape(name), "]", member);
}

// Removes trailing dimensions of 1: readers that store four numbers for each
// tensor do not know how many the file has.
std::vector<uint64_t> Shape(std::vector<uint64_t> dims) {
  while (!dims.empty() && dims.back() == 1) dims.pop_back();
  return dims;
}

std::string ShapeText(const std::vector<uint64_t>& dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ", "), "]");
}

// Describes an entry that the other answer lacks.
std::string Show(const Answer::KeyValue& kv) { return ShowValue(kv.value); }
std::string Show(const Answer::Tensor& tensor) {
  return absl::StrCat("type ", tensor.type, " ", ShapeText(tensor.dims));
}
std::string Show(const Answer::Data& data) { return absl::StrCat(data.bytes.size(), " bytes"); }
std::string Show(const Answer::Weights& weights) {
  return absl::StrCat(weights.bits.size(), " weights");
}

const std::string& NameOf(const Answer::KeyValue& kv) { return kv.key; }
template <class Entry>
const std::string& NameOf(const Entry& entry) {
  return entry.name;
}

MaybeDifference Differ(const Answer::KeyValue& expected, const Answer::KeyValue& observed,
                       const Caps& caps) {
  auto difference = CompareValues(expected.value, observed.value, caps);
  if (difference) {
    difference->path = Path("kv", expected.key, difference->path);
  }
  return difference;
}

MaybeDifference Differ(const Answer::Tensor& expected, const Answer::Tensor& observed,
                       const Caps&) {
  const auto differ = [&](const char* field, const auto& a, const auto& b) {
    return Difference{Path("tensor", expected.name, field), absl::StrCat(a), absl::StrCat(b)};
  };
  if (Shape(expected.dims) != Shape(observed.dims)) {
    return differ(".dims", ShapeText(expected.dims), ShapeText(observed.dims));
  }
  if (expected.type != observed.type) {
    return differ(".type", expected.type, observed.type);
  }
  if (expected.offset != observed.offset) {
    return differ(".offset", expected.offset, observed.offset);
  }
  return std::nullopt;
}

// Compares the elements of two entries: of data or of weights.
template <class Entry, class Sequence, class Equal, class ShowElement>
MaybeDifference ElementsDiffer(const Entry& expected, const Entry& observed,
                               Sequence Entry::*elements, const char* member, Equal equal,
                               ShowElement show) {
  const Sequence& a = expected.*elements;
  const Sequence& b = observed.*elements;
  std::string path = Path("tensor", expected.name, member);
  if (a.size() != b.size()) {
    return Difference{path, Show(expected), Show(observed)};
  }
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), equal);
  if (at == a.end()) return std::nullopt;
  absl::StrAppend(&path, "[", at - a.begin(), "]");
  return Difference{path, show(*at), show(*other)};
}

MaybeDifference Differ(const Answer::Data& expected, const Answer::Data& observed, const Caps&) {
  return ElementsDiffer(expected, observed, &Answer::Data::bytes, ".data", std::equal_to<char>(),
                        [](char byte) { return HexWord(absl::string_view(&byte, 1)); });
}

MaybeDifference Differ(const Answer::Weights& expected, const Answer::Weights& observed,
                       const Caps& caps) {
  return ElementsDiffer(
      expected, observed, &Answer::Weights::bits, ".weights",
      [&](uint32_t a, uint32_t b) {
        return a == b || (caps.nan_canon && IsNanBits(a) && IsNanBits(b));
      },
      ShowFloatBits);
}

// Rules for comparing two lists of entries.
struct ListRules {
  const char* name;      // In paths.
  bool ordered = false;  // The order matters.
  bool partial = false;  // Entries may be missing on either side.
};

// Compares two lists by name: the n-th entry with a name in one list with the
// n-th such entry in the other.  Sets `pairs` to their number.
template <class Entry>
MaybeDifference CompareLists(const std::vector<Entry>& expected, const std::vector<Entry>& observed,
                             const ListRules& rules, const Caps& caps, size_t* pairs) {
  const auto path = [&](const Entry& entry) { return Path(rules.name, NameOf(entry), ""); };
  // The places in `expected` that have no partner yet, the first one last.
  absl::flat_hash_map<std::string, std::vector<size_t>> places;
  for (size_t i = expected.size(); i-- > 0;) {
    places[ComparedText(NameOf(expected[i]), caps)].push_back(i);
  }
  std::vector<size_t> partner(expected.size(), observed.size());
  size_t extra = observed.size();  // The first without a partner.
  for (size_t i = 0; i < observed.size(); ++i) {
    const auto found = places.find(ComparedText(NameOf(observed[i]), caps));
    if (found != places.end() && !found->second.empty()) {
      partner[found->second.back()] = i;
      found->second.pop_back();
      ++*pairs;
    } else {
      extra = std::min(extra, i);
    }
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const Entry& entry = expected[i];
    if (partner[i] < observed.size()) {
      auto difference = Differ(entry, observed[partner[i]], caps);
      if (difference) difference->entry = NameOf(entry);
      if (difference) return difference;
    } else if (!rules.partial) {
      return Difference{path(entry), Show(entry), kNothing, "", NameOf(entry)};
    }
  }
  if (extra < observed.size() && !rules.partial) {
    return Difference{path(observed[extra]), kNothing, Show(observed[extra])};
  }
  for (size_t i = 0; rules.ordered && i < partner.size(); ++i) {
    if (partner[i] == i) continue;
    return Difference{absl::StrCat(rules.name, "[", i, "]"), Quote(NameOf(expected[i])),
                      Quote(NameOf(observed[i])), "", NameOf(expected[i])};
  }
  return std::nullopt;
}

template <class Entry>
LevelResult CompareLevel(int level, bool shown, const std::vector<Entry>& expected,
                         const std::vector<Entry>& observed, const ListRules& rules,
                         const Caps& caps) {
  if (!shown) return {level, LevelState::kNotTested, {}};
  size_t pairs = 0;
  const auto difference = CompareLists(expected, observed, rules, caps, &pairs);
  if (difference) return {level, LevelState::kFail, *difference};
  const bool tested = !rules.partial || pairs > 0;
  return {level, tested ? LevelState::kPass : LevelState::kNotTested, {}};
}

}  // namespace

std::vector<LevelResult> Compare(const Answer& expected, const Answer& observed, const Caps& caps) {
  const bool ordered = !caps.unordered;
  return {
      CompareLevel(2, caps.kv, expected.kv, observed.kv, {"kv", ordered}, caps),
      CompareLevel(3, caps.tensors, expected.tensors, observed.tensors, {"tensor", ordered}, caps),
      CompareLevel(4, caps.data && !expected.data.empty(), expected.data, observed.data, {"tensor"},
                   caps),
      CompareLevel(5, caps.deq, expected.weights, observed.weights, {"tensor", false, true}, caps),
  };
}

}  // namespace gguf::readers
