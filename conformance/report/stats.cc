// Formats numbers, and bars.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/stats.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/report/text_table.h"
#include "parser/core/quote.h"

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
  std::vector<Row> rows = {{"tensor", "type", "shape", "min", "max", "mean",
                            "std", "zeros", "subnormal", "nan", "inf"}};
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
