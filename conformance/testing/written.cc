// Builds small reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/written.h"

#include <sstream>

#include "conformance/base/bytes.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

using std::string_literals::operator""s;

Totals TestReport::totals() const {
  Totals totals;
  for (const FileReport& file : files) totals.Add(file, run.fail_on);
  totals.unfinished = unfinished;
  totals.baseline = baseline;
  return totals;
}

std::string Written(MakeWriter make, const TestReport& report) {
  std::ostringstream out;
  const auto writer = make(report.run, out);
  for (const FileReport& file : report.files) writer->Add(file);
  writer->End(report.totals());
  return out.str();
}

namespace {

TestReport FullReportOn(absl::string_view bytes, const std::string& path,
                        const CheckOptions& options) {
  TestReport report;
  report.run.profile = "upload";
  report.files.push_back(Validate({AsBytes(bytes), "f.gguf"}, *Profile::Find("upload"), options));
  report.files.back().path = path;
  return report;
}

}  // namespace

TestReport ReportOn(absl::string_view bytes, const std::string& path, const CheckOptions& options) {
  TestReport report = FullReportOn(bytes, path, options);
  LeaveOutModels(&report.files.back());
  return report;
}

TestReport HostileReport() {
  GgufBuilder b;
  b.String("general.architecture", kHostile).String(kHostile, kHostile);
  b.String(kHostile, "twice").Key("k.raw", 8, ByteWriter().String("\xFF\0"s));
  b.String("tokenizer.chat_template", "{{ x.__class__['"s + kHostile + "'] }}");
  b.Tensor(kHostile, {32}, 0, 7).Tensor("w", {31}, 8);
  return FullReportOn(b.Build(), "dir/"s + kHostile + "\xFF", {});
}

TestReport ReportWithBaseline(const std::string& text) {
  TestReport report = ReportOn(GgufBuilder().U32("Nodot", 1).Build(), "a.gguf");
  report.run.config = "../" + text;
  report.run.baseline = text;
  report.run.compared_with = text;
  report.run.severities = {{FindRule("key-unique"), Severity::kOff},
                           {FindRule("key-namespaced"), Severity::kError}};
  FileReport& file = report.files[0];
  file.known.push_back({file.findings[0], text});
  report.baseline = {1, {{text, "key-unique", text, text}}, {}};
  report.baseline->refused = report.baseline->stale;
  return report;
}

void ExpectPrintable(absl::string_view output) {
  for (const char c : output) {
    EXPECT_TRUE(c == '\n' || static_cast<uint8_t>(c) >= 0x20) << int{c};
  }
  EXPECT_THAT(std::string(output), testing::Not(testing::HasSubstr("\xFF")));
  EXPECT_THAT(std::string(output), testing::Not(testing::HasSubstr("\xE2\x80\xAE")));
}

}  // namespace gguf
