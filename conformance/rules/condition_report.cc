// Messages of conditions.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/condition_report.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "parser/core/quote.h"

namespace gguf {

void ReportCondition(const Model& model, const Condition& condition,
                     bool per_block, int64_t i, Finder& find) {
  const Hparams& hparams = model.hparams();
  const KeyValue& kv = *hparams.Key(condition.about);
  const auto value = [&](const Expr& expr) {
    const auto number = expr.empty() ? std::nullopt : hparams.Evaluate(expr, i);
    return Word{number ? absl::StrCat(*number) : ""};
  };
  Subject subject = kv.subject().Of("value");
  if (per_block && kv.type->kind == ValueKind::kArray) {
    subject = subject.At(static_cast<uint64_t>(i));
  }
  find(kv.value, subject, condition.says,
       {{"left", value(condition.left)},
        {"right", value(condition.right)},
        {"text", hparams.Text(condition.about).value_or("")},
        {"arch", Word{Escape(hparams.architecture_name())}}});
}

}  // namespace gguf
