// For any text, reading it as one of the files below terminates with an error
// or with contents that are the same after they are written and read again, and
// that every report shows safely.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/base/toml_file.h"
#include "conformance/model/digest.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"
#include "conformance/readers/run/known_failures.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/export/manifest.h"
#include "fuzz/outputs.h"
#include "fuzz/target.h"

namespace gguf {
namespace {

// The manifest of `check --digest`.
void CheckDigests(const std::string& text, Choice*) {
  const auto manifest = ReadDigests(text);
  if (!manifest.ok()) return;
  for (const DigestEntry& file : manifest->files()) {
    Require(manifest->Find(file.path) != nullptr);
  }
  const std::string written = WriteDigests(manifest->files());
  RequireInert("json", written);
  const auto again = ReadDigests(written);
  Require(again.ok() && WriteDigests(again->files()) == written);
}

// The list of a reader's known failures: after it was updated for a run, it has
// exactly the run's failures.
void CheckKnownFailures(const std::string& text, Choice* choice) {
  using readers::CaseRecord;
  using readers::KnownFailures;
  const auto list = KnownFailures::Parse(text);
  if (!list.ok()) {
    Require(absl::StartsWith(list.status().message(), "line "));
    return;
  }
  std::vector<CaseRecord> run;
  std::set<std::string> ids;
  const std::vector<std::string> gone = list->Gone({});
  std::set<std::string> listed(gone.begin(), gone.end());
  listed.insert("new/case");
  for (const std::string& id : listed) {
    if (choice->OneIn(4)) continue;  // No longer in the corpus.
    ids.insert(id);
    if (choice->OneIn(4)) continue;  // Not run.
    CaseRecord record;
    record.id = id;
    const auto results = readers::CaseResults();
    record.result = results[choice->Below(results.size())].result;
    // Only Apply() makes them.
    if (record.result == readers::CaseResult::kXpass ||
        record.result == readers::CaseResult::kXfail) {
      continue;
    }
    record.outcome = "exit:\n1";
    run.push_back(std::move(record));
  }
  std::vector<CaseRecord> applied = run;
  for (CaseRecord& record : applied) list->Apply(&record);
  const auto fixed = KnownFailures::Parse(KnownFailures::Fix(text, applied, ids));
  Require(fixed.ok());
  for (CaseRecord& record : run) {
    fixed->Apply(&record);
    Require(!readers::IsUnexpected(record.result));
  }
}

// readers.toml.
void CheckReadersToml(const std::string& text, Choice*) {
  auto file = TomlFile::Parse(text, "f");
  if (!file.ok()) return;
  const auto reader = readers::ReadReader(*std::move(file), "f", "toy");
  if (reader.ok()) {
    Require(!reader->command.empty() && reader->name == "toy");
  } else {
    Require(absl::StartsWith(reader.status().message(), "f"));
  }
}

std::string TextOf(const readers::RunLog& log) {
  std::string text = ToLine(log.header);
  for (const readers::CaseRecord& record : log.cases) text += ToLine(record);
  if (log.footer) text += ToLine(*log.footer);
  return text;
}

void CheckReaderReports(std::vector<readers::NamedLog> logs, Choice* choice) {
  const auto runs = readers::MergeRuns(std::move(logs));
  const readers::Matrix matrix = readers::BuildMatrix(runs);
  switch (choice->Below(6)) {
    case 0:
      return RequireInert("json", readers::JsonReport(matrix, {}));
    case 1:
      return RequireInert("text", readers::TerminalReport(matrix, {false, choice->Below(100)}));
    case 2:
      return RequireInert("markdown", readers::MarkdownReport(matrix));
    case 3:
      return RequireInert("junit", readers::JunitReport(matrix));
    case 4:
      return RequireInert("html", readers::HtmlReport(matrix));
    default:
      if (runs.size() == 1) RequireInert("badge", readers::BadgeReport(matrix));
  }
}

// Logs of `readers run`, separated by empty lines.
void CheckRunLogs(const std::string& text, Choice* choice) {
  std::vector<readers::NamedLog> logs;
  for (const absl::string_view part : absl::StrSplit(text, "\n\n")) {
    auto log = readers::ReadRunLog(part);
    if (!log.ok()) return;
    const std::string written = TextOf(*log);
    const auto again = readers::ReadRunLog(written);
    Require(again.ok() && TextOf(*again) == written);
    logs.push_back({absl::StrCat(logs.size(), ".ndjson"), *std::move(log)});
  }
  CheckReaderReports(std::move(logs), choice);
}

// The manifest of an exported corpus.
void CheckCorpusManifest(const std::string& text, Choice*) {
  const auto ids = corpus::ManifestIds(text);
  if (ids) Require(ids->size() <= text.size());
  for (const std::string& file : corpus::ManifestFiles(text)) {
    Require(!absl::StartsWith(file, "/") && !absl::StrContains(file, ".."));
  }
}

using Check = void (*)(const std::string& text, Choice* choice);

// The first character of an input, a digit in seeds, selects one.
constexpr Check kChecks[] = {CheckDigests, CheckKnownFailures, CheckReadersToml, CheckRunLogs,
                             CheckCorpusManifest};

}  // namespace
}  // namespace gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  gguf::Choice choice(data, size);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t kind = (data[0] + size_t{2}) % std::size(gguf::kChecks);
  gguf::kChecks[kind](text, &choice);  // '0' + 2 is 0 modulo 5.
  return 0;
}
