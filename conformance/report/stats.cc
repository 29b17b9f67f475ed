// Makes each column as wide as its widest cell.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/stats.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

constexpr size_t kColumns = 11;
using Row = std::array<std::string, kColumns>;

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
  std::vector<Row> rows = {{"tensor", "type", "shape", "min", "max", "mean",
                            "std", "zeros", "subnormal", "nan", "inf"}};
  for (const FileReport::TensorStats& tensor : stats) {
    rows.push_back(MakeRow(tensor));
  }
  std::array<int, kColumns> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max<int>(widths[i], row[i].size());
    }
  }
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < kColumns; ++i) {
      const bool is_text = i < 3;
      absl::StrAppendFormat(&out, "%s%*s", i == 0 ? "" : "  ",
                            is_text ? -widths[i] : widths[i], rows[r][i]);
    }
    if (r > 0 && r <= bars.size()) absl::StrAppend(&out, "  ", bars[r - 1]);
    out += "\n";
  }
  return out;
}

std::string HistogramBar(const Histogram& histogram) {
  constexpr const char* kHeights[] = {" ",      "\u2581", "\u2582",
                                      "\u2583", "\u2584", "\u2585",
                                      "\u2586", "\u2587", "\u2588"};
  const uint64_t most =
      *std::max_element(histogram.bins.begin(), histogram.bins.end());
  std::string bar;
  for (const uint64_t bin : histogram.bins) {
    // Round up, to show every bin that is not empty.
    const double height = most == 0 ? 0 : std::ceil(8.0 * bin / most);
    bar += kHeights[static_cast<int>(height)];
  }
  return bar;
}

}  // namespace gguf
