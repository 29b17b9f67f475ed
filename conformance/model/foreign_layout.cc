// Looks for the marks of foreign_layouts.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/foreign_layout.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/model.h"

namespace gguf {
namespace {

bool IsMark(const ForeignLayout& row, absl::string_view name, absl::string_view text) {
  switch (row.by) {
    case LayoutMark::kTensor:
      return name == text;
    case LayoutMark::kPrefix:
      return absl::StartsWith(name, text);
    case LayoutMark::kSuffix:
      return absl::EndsWith(name, text);
    default:
      return false;
  }
}

// Returns what shows the layout of a row; nothing if nothing does.
std::optional<std::string> FindMark(const Model& model, const ForeignLayout& row) {
  if (row.by == LayoutMark::kName) return "";
  for (const absl::string_view text : row.texts) {
    if (row.by == LayoutMark::kKey || row.by == LayoutMark::kStrings) {
      const KeyValue* kv = model.FindKey(model.hparams().Expand(text));
      if (kv == nullptr) continue;
      const bool holds_strings =
          kv->element_type != nullptr && kv->element_type->kind == ValueKind::kString;
      if (row.by == LayoutMark::kStrings && !holds_strings) continue;
      return absl::StrCat("the key ", Quote(kv->key.value));
    }
    for (uint32_t i = 0; i < model.tensors().size(); ++i) {
      const absl::string_view name = model.tensors()[i].name.value;
      if (IsMark(row, name, text)) return absl::StrCat("the tensor ", Quote(name));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LayoutFound> FindForeignLayout(const Model& model) {
  const Hparams& hparams = model.hparams();
  for (const ForeignLayout& row : kForeignLayouts) {
    if (!row.architectures.Has(hparams.architecture_name())) continue;
    if (!row.when.empty() && !hparams.Holds(row.when)) continue;
    if (auto mark = FindMark(model, row)) return LayoutFound{&row, *std::move(mark)};
  }
  return std::nullopt;
}

}  // namespace gguf
