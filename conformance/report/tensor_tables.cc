// Formats numbers and bars, sorts tensors by their errors, and fits tables to a
// terminal.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/tensor_tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/base/text.h"
#include "conformance/base/text_style.h"
#include "conformance/report/report_members.h"

namespace gguf {
namespace {

using Row = std::vector<std::string>;

Row MakeRow(const FileReport::TensorStats& tensor) {
  const WeightStats& w = tensor.weights;
  const auto number = [&](double value) {
    return w.count == 0 ? "-" : absl::StrFormat("%.4g", value);
  };
  return {Escape(tensor.name),
          tensor.type,
          absl::StrCat("[", absl::StrJoin(tensor.dims, ", "), "]"),
          number(w.min),
          number(w.max),
          number(w.mean),
          number(w.StandardDeviation()),
          absl::StrCat(w.zeros),
          absl::StrCat(w.subnormals),
          absl::StrCat(w.nan),
          absl::StrCat(w.infinite)};
}

}  // namespace

std::string StatsTable(const std::vector<FileReport::TensorStats>& stats,
                       const std::vector<std::string>& bars) {
  std::vector<Row> rows = {
      {"tensor", "type", "shape", "min", "max", "mean", "std", "zeros", "subnormal", "nan", "inf"}};
  for (const FileReport::TensorStats& tensor : stats) {
    rows.push_back(MakeRow(tensor));
  }
  std::string out;
  const std::vector<std::string> lines = TextTable(rows, 3);
  for (size_t r = 0; r < lines.size(); ++r) {
    absl::StrAppend(&out, lines[r]);
    if (r > 0 && r <= bars.size()) absl::StrAppend(&out, "  ", bars[r - 1]);
    out += "\n";
  }
  return out;
}

std::string HistogramBar(const Histogram& histogram) {
  constexpr const char* kHeights[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                      "\u2585", "\u2586", "\u2587", "\u2588"};
  const uint64_t most = *std::max_element(histogram.bins.begin(), histogram.bins.end());
  std::string bar;
  for (const uint64_t bin : histogram.bins) {
    // Round up, to show every bin that is not empty.
    const double height = most == 0 ? 0 : std::ceil(8.0 * bin / most);
    bar += kHeights[static_cast<int>(height)];
  }
  return bar;
}

namespace {

using Rows = std::vector<Row>;

// Columns of text; those of numbers follow them.
constexpr absl::string_view kTexts[] = {"tensor", "result", "type", "of"};
// Columns that a narrow table lacks, the least important first.
constexpr absl::string_view kOptional[] = {"cosine", "block", "of", "type", "bound"};
// Columns are left out rather than names shortened to fewer bytes.
constexpr size_t kShortestName = 20;

bool IsText(absl::string_view column) {
  return std::find(std::begin(kTexts), std::end(kTexts), column) != std::end(kTexts);
}

// Returns whether a stands before b, of the same file: failures first.
bool IsWorse(const ComparedTensor* a, const ComparedTensor* b) {
  const bool a_fails = a->result > ComparedTensor::kPass;
  const bool b_fails = b->result > ComparedTensor::kPass;
  if (a_fails != b_fails) return a_fails;
  const auto errors = [](const ComparedTensor& tensor) {
    return std::make_pair(tensor.Excess(), std::isnan(tensor.rmse) ? HUGE_VAL : tensor.rmse);
  };
  if (errors(*a) != errors(*b)) return errors(*a) > errors(*b);
  return a < b;
}

std::string Number(double value) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%.3g", value);
}

// Replaces the middle of a name of more than `most` bytes by an ellipsis.
std::string Shorten(absl::string_view name, size_t most) {
  constexpr absl::string_view kEllipsis = "...";
  if (name.size() <= most) return std::string(name);
  const size_t kept = std::max(most, kEllipsis.size()) - kEllipsis.size();
  // The end tells the kind of the tensor; the beginning, the layer.
  size_t head = kept * 2 / 5;
  size_t tail = name.size() - (kept - head);
  const auto is_inside_character = [&](size_t at) {
    return at < name.size() && (name[at] & 0xC0) == 0x80;
  };
  while (is_inside_character(head)) --head;
  while (is_inside_character(tail)) ++tail;
  return absl::StrCat(name.substr(0, head), kEllipsis, name.substr(tail));
}

// Returns the width of all columns but the first.
size_t WidthOfRest(const Rows& rows) {
  size_t width = 0;
  for (size_t column = 1; column < rows[0].size(); ++column) {
    size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row[column].size());
    width += 2 + widest;
  }
  return width;
}

// Leaves out columns until there is room for names, and shortens the names.
void Narrow(size_t width, Rows* rows) {
  size_t name_width = 0;
  for (const auto& row : *rows) {
    name_width = std::max(name_width, row[0].size());
  }
  name_width = std::min(name_width, kShortestName);
  for (const absl::string_view name : kOptional) {
    if (WidthOfRest(*rows) + name_width <= width) break;
    const std::vector<std::string>& names = rows->front();
    const auto column = std::find(names.begin(), names.end(), name) - names.begin();
    for (auto& row : *rows) row.erase(row.begin() + column);
  }
  const size_t rest = WidthOfRest(*rows);
  const size_t most = width > rest ? width - rest : 0;
  for (auto& row : *rows) row[0] = Shorten(row[0], most);
}

}  // namespace

std::string ComparedSummary(const std::vector<ComparedTensor>& tensors) {
  std::vector<std::string> parts;
  for (const ComparedTensor::Result result :
       {ComparedTensor::kPass, ComparedTensor::kError, ComparedTensor::kScale,
        ComparedTensor::kBlock, ComparedTensor::kRequantized, ComparedTensor::kUneven,
        ComparedTensor::kNotCompared}) {
    const auto count = std::count_if(tensors.begin(), tensors.end(),
                                     [&](const auto& tensor) { return tensor.result == result; });
    if (count > 0) parts.push_back(absl::StrCat(count, " ", JsonName(result)));
  }
  return absl::StrCat(Count(tensors.size(), "tensor"), ": ", absl::StrJoin(parts, ", "));
}

std::vector<std::string> ComparedTable(const std::vector<ComparedTensor>& tensors, size_t most,
                                       size_t width) {
  std::vector<const ComparedTensor*> worst;
  for (const ComparedTensor& tensor : tensors) {
    if (tensor.result != ComparedTensor::kNotCompared) {
      worst.push_back(&tensor);
    }
  }
  most = std::min(most, worst.size());
  if (most == 0) return {};
  std::partial_sort(worst.begin(), worst.begin() + most, worst.end(), IsWorse);
  Rows rows = {{"tensor", "result", "type", "of", "rmse", "bound", "cosine", "block"}};
  for (size_t i = 0; i < most; ++i) {
    const ComparedTensor& t = *worst[i];
    rows.push_back({Escape(t.name, t.name.size()), JsonName(t.result), t.type, t.origin_type,
                    Number(t.rmse), Number(t.bound), Number(t.cosine), Number(t.worst_block)});
  }
  Narrow(width, &rows);
  const std::vector<std::string>& names = rows[0];
  return TextTable(rows, std::count_if(names.begin(), names.end(), IsText));
}

}  // namespace gguf
