// For any texts, reading them as reports and merging them terminates with an
// error that names one, or with a report that is valid and harmless in every
// format and, if it is complete JSON, the same after it is read and written
// again.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/check/merge.h"
#include "conformance/report/report.h"
#include "conformance/report/writers.h"
#include "fuzz/outputs.h"
#include "fuzz/target.h"

namespace gguf {
namespace {

struct Output {
  std::string text;
  bool finished;  // All reports were read to their ends.
};

// Reads and merges reports, and writes the result; an error if there is none.
absl::StatusOr<Output> Merged(const std::vector<std::string>& reports, absl::string_view format,
                              size_t width) {
  std::vector<std::unique_ptr<ReportSource>> sources;
  for (const std::string& report : reports) {
    auto source = ReportSource::From(std::make_unique<std::istringstream>(report), "report");
    if (!source.ok()) return source.status();
    sources.push_back(*std::move(source));
  }
  Merge merge;
  const absl::Status status = merge.Open(std::move(sources));
  if (!status.ok()) return status;
  std::ostringstream out;
  const auto writer = NewReportWriter(format, merge.run(), {false, width}, out);
  const Totals totals = merge.Take([&](const FileReport& file) {
    writer->Add(file);
    return true;
  });
  writer->End(totals);
  return Output{out.str(), totals.unfinished.empty()};
}

}  // namespace
}  // namespace gguf

// Reports are separated by empty lines.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gguf::Choice choice(data, size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> reports = absl::StrSplit(text, "\n\n");
  for (size_t i = 0; i + 1 < reports.size(); ++i) reports[i] += '\n';
  const std::string format = gguf::AnyReportFormat(&choice);
  const auto merged = gguf::Merged(reports, format, choice.Below(100));
  if (!merged.ok()) {
    gguf::Require(absl::StrContains(merged.status().message(), "\"report\""));
    return 0;
  }
  gguf::RequireInert(format, merged->text);
  if (format != "json" && format != "ndjson") return 0;
  const auto again = gguf::Merged({merged->text}, format, 0);
  gguf::Require(again.ok());
  gguf::Require(!merged->finished || again->text == merged->text);
  return 0;
}
