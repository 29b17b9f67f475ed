// Sorts the tensors by their errors.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/compared.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/report/report.h"
#include "conformance/report/report_members.h"
#include "conformance/report/text_table.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Returns whether a stands before b: failures first.
bool IsWorse(const ComparedTensor* a, const ComparedTensor* b) {
  const bool a_fails = a->result > ComparedTensor::kPass;
  const bool b_fails = b->result > ComparedTensor::kPass;
  if (a_fails != b_fails) return a_fails;
  return a->Excess() > b->Excess();
}

}  // namespace

std::string ComparedSummary(const std::vector<ComparedTensor>& tensors) {
  std::map<ComparedTensor::Result, uint64_t> counts;
  for (const ComparedTensor& tensor : tensors) ++counts[tensor.result];
  std::vector<std::string> parts;
  for (const auto& [result, count] : counts) {
    parts.push_back(absl::StrCat(count, " ", JsonName(result)));
  }
  return absl::StrCat(Count(tensors.size(), "tensor"), ": ",
                      absl::StrJoin(parts, ", "));
}

std::vector<std::string> ComparedTable(
    const std::vector<ComparedTensor>& tensors, size_t most) {
  std::vector<const ComparedTensor*> worst;
  for (const ComparedTensor& tensor : tensors) {
    if (tensor.result != ComparedTensor::kNotCompared) {
      worst.push_back(&tensor);
    }
  }
  most = std::min(most, worst.size());
  if (most == 0) return {};
  std::partial_sort(worst.begin(), worst.begin() + most, worst.end(), IsWorse);
  std::vector<std::vector<std::string>> rows = {{"tensor", "result", "type",
                                                 "of", "rmse", "bound", "gain",
                                                 "cosine", "block"}};
  const auto number = [](double value) {
    return absl::StrFormat("%.4g", value);
  };
  for (size_t i = 0; i < most; ++i) {
    const ComparedTensor& t = *worst[i];
    rows.push_back({Escape(t.name), JsonName(t.result), t.type, t.base_type,
                    number(t.rmse), number(t.bound), number(t.gain),
                    number(t.cosine), number(t.worst_block)});
  }
  return TextTable(rows, 4);
}

}  // namespace gguf
