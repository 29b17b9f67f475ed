// Finds the hyperparameter with another value of which all tensors would have the right shapes.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/text.h"
#include "conformance/rules/architecture/expected_shape.h"
#include "conformance/rules/causes/causes.h"
#include "conformance/rules/requirements.h"
#include "conformance/tables/symbols.h"

namespace gguf {
namespace {

// A tensor with the row that its shape must follow.
struct Shaped {
  const TensorInfo* tensor;
  const TensorRole* role;
  Shape found;
};

// Adds the symbols on which an expression depends, through those that have no key in the file.
void AddSymbols(const Hparams& hparams, const Expr& expr, std::set<Symbol>* symbols) {
  for (uint32_t i = 0; i < expr.size; ++i) {
    const OpCode code = expr.code[i].code;
    if (code != OpCode::kScalar && code != OpCode::kElement) continue;
    const auto symbol = static_cast<Symbol>(expr.code[i].number);
    if (!symbols->insert(symbol).second) continue;
    if (hparams.Key(symbol) == nullptr) {
      AddSymbols(hparams, hparams.Row(symbol).otherwise, symbols);
    }
  }
}

// The symbols on which rows depend.
class RowSymbols {
 public:
  explicit RowSymbols(const Hparams& hparams) : hparams_(hparams) {}

  const std::set<Symbol>& Of(const TensorRow& row) {
    const auto [place, is_new] = symbols_.try_emplace(&row);
    if (is_new) {
      for (uint32_t d = 0; d < row.shape.rank; ++d) {
        AddSymbols(hparams_, row.shape.dims[d], &place->second);
      }
    }
    return place->second;
  }

 private:
  const Hparams& hparams_;
  std::map<const TensorRow*, std::set<Symbol>> symbols_;
};

// Returns whether a tensor has the right shape; nothing if that is not known.
std::optional<bool> HasRightShape(const Model& model, const Hparams& hparams,
                                  const Shaped& shaped) {
  const Dims& dims = shaped.role->row->shape;
  const auto expected =
      ExpectedShape(model, hparams, false, shaped.found, dims, shaped.role->block);
  if (!expected) return std::nullopt;
  return Fits(dims, shaped.found, *expected);
}

// Returns whether a symbol is one number that a key states or may state.
bool IsNumber(const Hparams& hparams, Symbol symbol) {
  const SymbolRow& row = hparams.Row(symbol);
  const KeyValue* kv = hparams.Key(symbol);
  return row.type == ExprType::kInt && row.part == KeyPart::kValue && *row.key != 0 &&
         (kv == nullptr || kv->element_type == nullptr);
}

// Returns numbers that a symbol may have: small ones, the dimensions found, and these divided by
// the values of the other symbols.
std::set<int64_t> Candidates(const Hparams& hparams, const std::vector<const Shaped*>& misfits,
                             const std::set<Symbol>& symbols) {
  constexpr int64_t kSmall = 256;
  constexpr size_t kMost = 4096;
  std::set<int64_t> numbers;
  for (int64_t n = 1; n <= kSmall; ++n) numbers.insert(n);
  for (const Shaped* misfit : misfits) {
    for (const int64_t dim : misfit->found) {
      if (numbers.size() > kMost) return numbers;
      numbers.insert(dim);
      for (const Symbol symbol : symbols) {
        const int64_t value = hparams.Get(symbol).value_or(0);
        if (value > 1 && dim % value == 0) numbers.insert(dim / value);
      }
    }
  }
  return numbers;
}

// Returns the one value of a symbol with which all shapes are right.
std::optional<int64_t> Solve(const Model& model, const Hparams& hparams, Symbol symbol,
                             const std::set<int64_t>& candidates,
                             const std::vector<const Shaped*>& misfits,
                             const std::vector<Shaped>& all) {
  std::optional<int64_t> solution;
  for (const int64_t value : candidates) {
    const Hparams assumed = hparams.Assuming(symbol, value);
    const auto fits = [&](const Shaped& shaped) {
      return HasRightShape(model, assumed, shaped) == true;
    };
    if (!absl::c_all_of(misfits, [&](const Shaped* one) { return fits(*one); })) continue;
    if (!absl::c_all_of(all, fits)) continue;
    if (solution) return std::nullopt;
    solution = value;
  }
  return solution;
}

// A value of one symbol that explains all shapes.
struct Solution {
  Symbol symbol;
  int64_t value;
  bool head_is_rotated;  // Whether heads then are as wide as rope.dimension_count says.
  int64_t tensors;       // That depend on the symbol.
  int64_t changed;       // Symbols that then have another value.
};

// Returns "llama.attention.head_count_kv is 4", or what stands for an absent key.
std::string Stated(const Hparams& hparams, Symbol symbol) {
  const auto stated = hparams.Get(symbol);
  const std::string number = stated ? absl::StrCat(*stated) : "no number";
  return absl::StrCat(Visible(hparams.Expand(hparams.Row(symbol).key)),
                      hparams.Key(symbol) != nullptr ? " is "
                      : stated                       ? " is missing and taken as "
                                                     : " is missing and would be ",
                      number);
}

std::optional<WrongHparam> FindIn(const Model& model, const Component& component) {
  const Hparams& hparams = component.hparams;
  std::vector<Shaped> all;  // Whose shapes are known.
  all.reserve(model.file.tensors.size());
  RowSymbols symbols_of(hparams);
  std::vector<const Shaped*> misfits;
  std::set<Symbol> symbols;
  for (const TensorInfo& tensor : model.file.tensors) {
    const TensorRole& role = component.RoleOf(model, tensor);
    if (!HasExpectedShape(role, tensor)) continue;
    const Shaped shaped = {&tensor, &role, ShapeOf(tensor)};
    const auto is_right = HasRightShape(model.whole(), hparams, shaped);
    if (!is_right) continue;
    all.push_back(shaped);
    if (*is_right) continue;
    misfits.push_back(&all.back());
    const std::set<Symbol>& some = symbols_of.Of(*role.row);
    symbols.insert(some.begin(), some.end());
  }
  if (misfits.size() < 2) return std::nullopt;
  const std::set<int64_t> candidates = Candidates(hparams, misfits, symbols);
  std::vector<Solution> solutions;
  for (const Symbol symbol : symbols) {
    if (!IsNumber(hparams, symbol)) continue;
    const auto value = Solve(model.whole(), hparams, symbol, candidates, misfits, all);
    if (!value) continue;
    const Hparams assumed = hparams.Assuming(symbol, *value);
    const auto rotated = assumed.Get(Symbol::kRopeDimensionCount);
    solutions.push_back({symbol, *value, rotated && rotated == assumed.Get(Symbol::kNEmbdHeadKFull),
                         absl::c_count_if(all,
                                          [&](const Shaped& shaped) {
                                            return symbols_of.Of(*shaped.role->row).count(symbol) >
                                                   0;
                                          }),
                         absl::c_count_if(symbols, [&](Symbol other) {
                           return assumed.Get(other) != hparams.Get(other);
                         })});
  }
  if (solutions.empty()) return std::nullopt;
  absl::c_stable_sort(solutions, [](const Solution& a, const Solution& b) {
    return std::make_tuple(!a.head_is_rotated, a.tensors, a.changed) <
           std::make_tuple(!b.head_is_rotated, b.tensors, b.changed);
  });
  const Solution& best = solutions[0];
  std::string message =
      absl::StrCat(Stated(hparams, best.symbol), ", but the shapes of ", misfits.size(),
                   " tensors, from ", Quote(misfits[0]->tensor->name.value),
                   " on, are those of a model in which it is ", best.value);
  const auto other = std::find_if(solutions.begin() + 1, solutions.end(), [&](const Solution& s) {
    return s.head_is_rotated == best.head_is_rotated && hparams.Key(s.symbol) != nullptr;
  });
  if (other != solutions.end()) {
    absl::StrAppend(&message, ", or in which ",
                    Visible(hparams.Expand(hparams.Row(other->symbol).key)), " is ", other->value);
  }
  return WrongHparam{message + ".", hparams.Expand(hparams.Row(best.symbol).key), best.value,
                     other == solutions.end()};
}

}  // namespace

std::optional<WrongHparam> FindWrongHparam(const Model& model) {
  if (!OnlyWithComponents(model).empty()) return std::nullopt;
  // The shapes of several encoders follow from several values.
  const std::vector<Component> components = ComponentsOf(model);
  return components.size() == 1 ? FindIn(model, components[0]) : std::nullopt;
}

}  // namespace gguf
