// Validates a case, and writes its expectation as text.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/golden.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/model/base_model.h"
#include "conformance/model/file_name.h"
#include "conformance/model/model.h"
#include "conformance/report/dump.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/readers.h"
#include "conformance/rules/validate.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "parser/parse.h"

namespace gguf {

absl::StatusOr<CaseFiles> CaseFiles::Make(const corpus::Case& a_case, const corpus::Loader& load) {
  const auto of_set = ParseShardName(a_case.file_name);
  CaseFiles made;
  const auto add = [&](const corpus::Case& shard) -> absl::Status {
    const auto name = ParseShardName(shard.file_name);
    if (!a_case.set.empty() && (!of_set || !name || !name->is_of_set() ||
                                name->prefix != of_set->prefix || name->count != of_set->count)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the file_name of ", shard.id, " is not that of a shard of the set"));
    }
    const absl::StatusOr<corpus::Image> image = corpus::Assemble(shard.document);
    if (!image.ok()) return image.status();
    absl::StatusOr<CaseBytes> bytes = CaseBytes::Make(*image);
    if (!bytes.ok()) return bytes.status();
    made.files.push_back({shard.file_name, *std::move(bytes)});
    return absl::OkStatus();
  };
  absl::Status added = add(a_case);
  for (const std::string& id : a_case.set) {
    if (!added.ok()) return added;
    const absl::StatusOr<std::string> text = load(id);
    if (!text.ok()) return text.status();
    const absl::StatusOr<corpus::Case> shard = corpus::ReadCase(id, *text, load);
    if (!shard.ok()) return shard.status();
    added = add(*shard);
  }
  if (!added.ok()) return added;
  return made;
}

namespace {

// The base model of a case, with the objects that own its data.
struct Base {
  explicit Base(CaseBytes the_bytes)
      : bytes(std::move(the_bytes)),
        found(1),
        parsed(Parse(bytes.bytes(), Limits(), &found)),
        model(parsed) {}

  const CaseBytes bytes;
  Diagnostics found;
  const Model parsed;
  const BaseModel model;
};

// Null if the case has none.
std::unique_ptr<Base> BaseOf(const corpus::Case& a_case) {
  if (a_case.base_model.empty()) return nullptr;
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::string& id = a_case.base_model;
  const corpus::Case base = corpus::ReadCase(id, load(id).value(), load).value();
  const corpus::Image image = corpus::Assemble(base.document).value();
  auto made = std::make_unique<Base>(CaseBytes::Make(image).value());
  Assert(made->parsed.file.progress == Progress::kTensors,
         "a case names a base that cannot be read");
  return made;
}

FileReport ReportOn(const corpus::Case& a_case, const CaseFiles& files, absl::string_view profile,
                    bool readers = false) {
  const Profile* const found = Profile::Find(profile);
  if (found == nullptr) std::abort();
  Profile with_preview = *found;
  with_preview.EnablePreview();
  CheckOptions options;
  options.weights = a_case.weights;
  options.readers = readers;
  const std::unique_ptr<Base> base = BaseOf(a_case);
  Expected expected;
  if (base != nullptr) expected.base = &base->model;
  std::vector<ShardFile> shards;
  for (const CaseFiles::NamedFile& file : files.files) {
    shards.push_back({{file.content.bytes(), file.name}, "", expected});
  }
  return a_case.set.empty() ? Validate(shards[0].source, with_preview, options, expected)
                            : ValidateSet(shards, with_preview, options)[0];
}

}  // namespace

FileReport CheckCase(const corpus::Case& a_case, const CaseFiles& files,
                     absl::string_view profile) {
  FileReport report = ReportOn(a_case, files, profile);
  if (a_case.scope == "container") {
    const auto is_of_model = [](const Finding& finding) {
      return finding.diagnostic.rule->scope == Scope::kModel;
    };
    report.findings.erase(
        std::remove_if(report.findings.begin(), report.findings.end(), is_of_model),
        report.findings.end());
  }
  return report;
}

corpus::Expectation Observe(const corpus::Case& a_case, const CaseFiles& files,
                            absl::string_view profile) {
  return ExpectationOf(CheckCase(a_case, files, profile), profile);
}

corpus::Expectation ExpectationOf(const FileReport& report, absl::string_view profile) {
  corpus::Expectation expectation;
  expectation.profile = std::string(profile);
  expectation.incomplete = !report.incomplete.empty();
  // Causes are the same in all profiles.
  for (const Cause& cause : report.causes) {
    if (profile == "upload") expectation.causes.push_back(cause.kind);
  }
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    expectation.findings.push_back({diagnostic.where.begin, diagnostic.where.size(),
                                    SeverityName(finding.severity), diagnostic.rule->id});
  }
  return expectation;
}

std::vector<ReaderVerdict> Verdicts(const corpus::Case& a_case, const CaseFiles& files) {
  return JudgeReaders(ReportOn(a_case, files, "upload", true));
}

std::string Predictions(const corpus::Case& a_case, const CaseFiles& files) {
  std::string letters;
  for (const ReaderVerdict& verdict : Verdicts(a_case, files)) {
    letters += *WordOf(verdict.effect);
  }
  return letters;
}

std::string DumpOf(Bytes bytes) {
  Diagnostics found(1);
  std::ostringstream out;
  WriteDump(Parse(bytes, Limits(), &found), out);
  return out.str();
}

std::string ObserveDump(Bytes bytes) {
  constexpr size_t kLong = 16 << 10;
  const std::string dump = DumpOf(bytes);
  if (dump.size() <= kLong) return dump;
  return absl::StrCat("sha256 ", corpus::Sha256(dump), "\n");
}

std::string ProjectPath(absl::string_view path) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return absl::StrCat(workspace != nullptr ? workspace : ".", "/", path);
}

std::string CasesFolder() { return ProjectPath("corpus/cases"); }

}  // namespace gguf
