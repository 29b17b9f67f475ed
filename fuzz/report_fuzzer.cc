// For any file with any name, every report on it is valid and harmless where it
// is shown.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/report/report.h"
#include "conformance/report/writers.h"
#include "conformance/rules/readers.h"
#include "conformance/rules/validate.h"
#include "fuzz/check_file.h"
#include "fuzz/outputs.h"
#include "fuzz/target.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

// Accepts the first finding, with a hostile text as the reason.
void AcceptFirst(const std::string& text, FileReport* file, Totals* totals) {
  totals->baseline.emplace();
  if (file->findings.empty()) return;
  const Finding first = file->findings.front();
  file->findings.erase(file->findings.begin());
  --file->counts.of(first.severity);
  const std::string reason = Escape(text);
  file->known.push_back({first, reason});
  const KnownFinding line{Escape(file->path), first.diagnostic.rule->id, first.diagnostic.subject,
                          reason};
  *totals->baseline = {1, {line}, {line}};
}

// Writes the report in one format.
void Report(FileReport file, const Profile& profile, const std::string& text, Choice* choice) {
  Run run;
  run.profile = profile.name();
  run.fail_on = choice->OneIn(2) ? Severity::kError : Severity::kNote;
  if (choice->OneIn(4)) run.config = run.baseline = text;
  Totals totals;
  if (choice->OneIn(4)) AcceptFirst(text, &file, &totals);
  if (choice->OneIn(8)) totals.unfinished = Visible(text);
  totals.Add(file, run.fail_on);
  const TextStyle style{false, choice->OneIn(2) ? 0 : 20 + choice->Below(80)};
  const std::string format = AnyReportFormat(choice);
  std::ostringstream out;
  const auto writer = NewReportWriter(format, run, style, out);
  writer->Add(file);
  writer->End(totals);
  RequireInert(format, out.str());
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const gguf::Bytes bytes(data, size);
  gguf::Choice choice(data, size);
  const gguf::Profile& profile = gguf::AnyProfile(&choice);
  const std::string text = gguf::AnyName(bytes, &choice);
  gguf::Expected expected;
  const gguf::CheckOptions options = gguf::AnyOptions(&choice, &expected);
  gguf::FileReport file = gguf::Validate(gguf::Source(bytes, text), profile, options, expected);
  file.path = "dir/" + text;
  if (choice.OneIn(4)) file.readers = gguf::JudgeReaders(file);
  gguf::Report(file, profile, text, &choice);
  return file.counts.error > 0 ? 1 : 0;
}
