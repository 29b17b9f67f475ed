// Walks the operations of an expression.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/hparam_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

template <class T>
void AddOnce(T item, std::vector<T>* items) {
  if (std::find(items->begin(), items->end(), item) == items->end()) {
    items->push_back(std::move(item));
  }
}

struct Names {
  std::vector<std::string> keys;
  std::vector<std::string> tensors;
  std::vector<const Expr*> exprs;  // Of symbols without a key.
};

void AddName(const Hparams& hparams, const Op& op, Names* names) {
  switch (op.code) {
    case OpCode::kPresent:
    case OpCode::kTypeIs:
    case OpCode::kNe:
      AddOnce(Visible(hparams.Expand(absl::StrReplaceAll(op.text, {{"%d", "N"}}))),
              &names->tensors);
      break;
    case OpCode::kScalar:
    case OpCode::kElement:
    case OpCode::kIsSet:
    case OpCode::kIsArray:
    case OpCode::kTextIs: {
      const SymbolRow& row = hparams.Row(static_cast<Symbol>(op.number));
      if (*row.key != 0) {
        AddOnce(Visible(hparams.Expand(row.key)), &names->keys);
      } else {
        AddOnce(&row.otherwise, &names->exprs);
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace

std::string NamesIn(const Hparams& hparams, const Expr& expr) {
  Names names;
  names.exprs.push_back(&expr);
  for (size_t next = 0; next < names.exprs.size(); ++next) {
    const Expr& here = *names.exprs[next];
    for (uint32_t i = 0; i < here.size; ++i) {
      AddName(hparams, here.code[i], &names);
    }
  }
  std::vector<std::string>& all = names.keys;
  for (const std::string& tensor : names.tensors) {
    all.push_back(absl::StrCat("the tensor ", tensor));
  }
  if (all.empty()) return "";
  const std::string last = std::move(all.back());
  all.pop_back();
  return absl::StrCat(absl::StrJoin(all, ", "), all.empty() ? "" : " and ", last);
}

}  // namespace gguf
