// Compares answers entry by entry.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/compare.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/readers/protocol/value_words.h"
#include "conformance/readers/run/compare_values.h"
#include "parser/core/quote.h"

namespace gguf::readers {
namespace {

using MaybeDifference = std::optional<Difference>;

constexpr char kNothing[] = "nothing";

std::string Path(absl::string_view list, absl::string_view name,
                 absl::string_view member) {
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
std::string Show(const Answer::Data& data) {
  return absl::StrCat(data.bytes.size(), " bytes");
}
std::string Show(const Answer::Weights& weights) {
  return absl::StrCat(weights.bits.size(), " weights");
}

const std::string& NameOf(const Answer::KeyValue& kv) { return kv.key; }
template <class Entry>
const std::string& NameOf(const Entry& entry) {
  return entry.name;
}

MaybeDifference Differ(const Answer::KeyValue& expected,
                       const Answer::KeyValue& observed, const Caps& caps) {
  auto difference = CompareValues(expected.value, observed.value, caps);
  if (difference) {
    difference->path = Path("kv", expected.key, difference->path);
  }
  return difference;
}

MaybeDifference Differ(const Answer::Tensor& expected,
                       const Answer::Tensor& observed, const Caps&) {
  const auto path = [&](const char* field) {
    return Path("tensor", expected.name, field);
  };
  if (Shape(expected.dims) != Shape(observed.dims)) {
    return Difference{path(".dims"), ShapeText(expected.dims),
                      ShapeText(observed.dims)};
  }
  if (expected.type != observed.type) {
    return Difference{path(".type"), absl::StrCat(expected.type),
                      absl::StrCat(observed.type)};
  }
  if (expected.offset != observed.offset) {
    return Difference{path(".offset"), absl::StrCat(expected.offset),
                      absl::StrCat(observed.offset)};
  }
  return std::nullopt;
}

// Returns the first index at which two sequences of equal size differ.
template <class Sequence, class Equal>
std::optional<size_t> FirstDifference(const Sequence& a, const Sequence& b,
                                      Equal equal) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), equal).first;
  if (at == a.end()) return std::nullopt;
  return at - a.begin();
}

MaybeDifference Differ(const Answer::Data& expected,
                       const Answer::Data& observed, const Caps&) {
  if (expected.bytes.size() != observed.bytes.size()) {
    return Difference{Path("tensor", expected.name, ".data"), Show(expected),
                      Show(observed)};
  }
  const auto at = FirstDifference(expected.bytes, observed.bytes,
                                  [](char a, char b) { return a == b; });
  if (!at) return std::nullopt;
  return Difference{
      Path("tensor", expected.name, absl::StrCat(".data[", *at, "]")),
      HexWord(expected.bytes.substr(*at, 1)),
      HexWord(observed.bytes.substr(*at, 1))};
}

MaybeDifference Differ(const Answer::Weights& expected,
                       const Answer::Weights& observed, const Caps& caps) {
  if (expected.bits.size() != observed.bits.size()) {
    return Difference{Path("tensor", expected.name, ".weights"), Show(expected),
                      Show(observed)};
  }
  const auto at = FirstDifference(
      expected.bits, observed.bits, [&](uint32_t a, uint32_t b) {
        return a == b || (caps.nan_canon && IsNanBits(a) && IsNanBits(b));
      });
  if (!at) return std::nullopt;
  return Difference{
      Path("tensor", expected.name, absl::StrCat(".weights[", *at, "]")),
      ShowFloatBits(expected.bits[*at]), ShowFloatBits(observed.bits[*at])};
}

// Rules for comparing two lists of entries.
struct ListRules {
  const char* name;      // In paths.
  bool ordered = false;  // The order matters.
  bool partial = false;  // Entries may be missing on either side.
};

// Compares two lists by name: the n-th entry with a name in one list with the
// n-th such entry in the other.
template <class Entry>
class ListComparison {
 public:
  ListComparison(const std::vector<Entry>& expected,
                 const std::vector<Entry>& observed, const ListRules& rules,
                 const Caps& caps)
      : expected_(expected), observed_(observed), rules_(rules), caps_(caps) {}

  MaybeDifference Run() {
    Match();
    for (size_t i = 0; i < expected_.size(); ++i) {
      const Entry& entry = expected_[i];
      if (partner_[i] < observed_.size()) {
        auto difference = Differ(entry, observed_[partner_[i]], caps_);
        if (difference) return difference;
      } else if (!rules_.partial) {
        return Difference{Path(rules_.name, NameOf(entry), ""), Show(entry),
                          kNothing};
      }
    }
    if (unexpected_ < observed_.size() && !rules_.partial) {
      const Entry& entry = observed_[unexpected_];
      return Difference{Path(rules_.name, NameOf(entry), ""), kNothing,
                        Show(entry)};
    }
    return rules_.ordered ? Order() : std::nullopt;
  }

  size_t pairs() const { return pairs_; }

 private:
  // Finds partner_ and unexpected_.
  void Match() {
    absl::flat_hash_map<std::string, std::vector<size_t>> places;
    for (size_t i = expected_.size(); i-- > 0;) {
      places[ComparedText(NameOf(expected_[i]), caps_)].push_back(i);
    }
    partner_.assign(expected_.size(), observed_.size());
    unexpected_ = observed_.size();
    for (size_t i = 0; i < observed_.size(); ++i) {
      const auto found = places.find(ComparedText(NameOf(observed_[i]), caps_));
      if (found != places.end() && !found->second.empty()) {
        partner_[found->second.back()] = i;
        found->second.pop_back();
        ++pairs_;
      } else {
        unexpected_ = std::min(unexpected_, i);
      }
    }
  }

  MaybeDifference Order() const {
    for (size_t i = 0; i < partner_.size(); ++i) {
      if (partner_[i] == i) continue;
      return Difference{absl::StrCat(rules_.name, "[", i, "]"),
                        Quote(NameOf(expected_[i])),
                        Quote(NameOf(observed_[i]))};
    }
    return std::nullopt;
  }

  const std::vector<Entry>& expected_;
  const std::vector<Entry>& observed_;
  const ListRules rules_;
  const Caps& caps_;
  std::vector<size_t> partner_;  // Index in expected_ to index in observed_.
  size_t unexpected_ = 0;        // The first in observed_ without a partner.
  size_t pairs_ = 0;
};

template <class Entry>
LevelResult CompareLevel(int level, bool shown,
                         const std::vector<Entry>& expected,
                         const std::vector<Entry>& observed,
                         const ListRules& rules, const Caps& caps) {
  LevelResult result;
  result.level = level;
  if (!shown) return result;
  ListComparison<Entry> comparison(expected, observed, rules, caps);
  const auto difference = comparison.Run();
  if (difference) {
    result.state = LevelState::kFail;
    result.difference = *difference;
  } else if (!rules.partial || comparison.pairs() > 0) {
    result.state = LevelState::kPass;
  }
  return result;
}

}  // namespace

std::vector<LevelResult> Compare(const Answer& expected, const Answer& observed,
                                 const Caps& caps) {
  const bool ordered = !caps.unordered;
  return {
      CompareLevel(2, caps.kv, expected.kv, observed.kv, {"kv", ordered}, caps),
      CompareLevel(3, caps.tensors, expected.tensors, observed.tensors,
                   {"tensor", ordered}, caps),
      CompareLevel(4, caps.data && !expected.data.empty(), expected.data,
                   observed.data, {"tensor"}, caps),
      CompareLevel(5, caps.deq, expected.weights, observed.weights,
                   {"tensor", false, true}, caps),
  };
}

}  // namespace gguf::readers
