// From bytes to findings.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/validate.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/legacy_format.h"
#include "conformance/rules/model.h"
#include "conformance/rules/tensor_scan.h"
#include "parser/assert.h"
#include "parser/deadline.h"
#include "parser/parse.h"

namespace gguf {
namespace {

class Validator {
 public:
  Validator(Bytes bytes, absl::string_view name, const Profile& profile,
            const ValidateOptions& options)
      : profile_(profile),
        options_(options),
        deadline_(options.limits.seconds),
        found_(options.limits.findings_per_rule),
        model_(Parse(bytes, name, options.limits, &found_)),
        file_(model_.file) {}

  FileReport Run() {
    Describe();
    if (options_.weights || options_.stats) ReadWeights();
    bool any = false;
    for (const Check& check : Catalogue()) {
      if (profile_.SeverityOf(*check.rule) == Severity::kOff) continue;
      if (!check.IsAbout(file_)) continue;
      RunCheck(check);
      any = true;
    }
    if (!any)
      report_.incomplete = "no rule was chosen that is about such files";
    if (report_.incomplete.empty() && deadline_.passed()) {
      report_.incomplete = deadline_.limit();
    }
    CollectFindings();
    ExplainStop();
    return std::move(report_);
  }

 private:
  void Describe();
  void ReadWeights();
  void RunCheck(const Check& check);
  // Why the check cannot see all that it looks at; empty when it can.
  std::string WhyBlocked(Needs needs) const;
  void CollectFindings();
  void ExplainStop();

  const Profile& profile_;
  const ValidateOptions& options_;
  const Deadline deadline_;
  Diagnostics found_;
  Model model_;
  const File& file_;
  FileReport report_;
};

void Validator::Describe() {
  report_.size = file_.bytes.size();
  report_.format = file_.kind.format;
  report_.version = file_.kind.version;
  if (file_.legacy) report_.about = AboutLegacy(file_);
  if (file_.progress < Progress::kHeader) return;
  report_.endian = file_.encoding.endian;
  if (!file_.legacy) {
    report_.version = file_.version.value;
    report_.keys = file_.keys.size();
  }
  report_.tensors = file_.tensors.size();
}

void Validator::ReadWeights() {
  if (!WhyBlocked(Needs::kLayout).empty()) return;
  ScanOptions scan;
  scan.jobs = options_.jobs;
  scan.stats = options_.stats;
  scan.progress = options_.progress;
  bool interrupted = false;
  scan.stop = [&] {
    interrupted |= options_.interrupted && options_.interrupted();
    return interrupted || deadline_.passed();
  };
  auto scans = ScanTensors(file_, model_.placement(), scan);
  if (!scans) {
    report_.incomplete = interrupted ? "interrupted" : deadline_.limit();
    return;
  }
  model_.set_scans(*std::move(scans));
  if (!options_.stats) return;
  for (const TensorInfo& tensor : file_.tensors) {
    const TensorScan& tensor_scan = model_.scans()[tensor.index];
    if (!tensor_scan.scanned) continue;
    report_.stats.push_back(
        {std::string(tensor.name.value),
         tensor.type_info()->name,
         {tensor.dims.begin(), tensor.dims.begin() + tensor.rank()},
         tensor_scan.stats});
  }
}

std::string Validator::WhyBlocked(Needs needs) const {
  static constexpr Progress kNeeded[] = {
      Progress::kNothing,  // kName
      Progress::kMagic,    // kMagic
      Progress::kHeader,   // kHeader
      Progress::kKeys,     // kKeys
      Progress::kTensors,  // kTensors
      Progress::kTensors,  // kLayout
      Progress::kTensors,  // kWeights
  };
  if (needs == Needs::kWeights && !(options_.weights || options_.stats)) {
    return kNotRequested;
  }
  if (file_.progress < kNeeded[static_cast<int>(needs)]) return file_.stop->why;
  const bool layout = needs == Needs::kLayout || needs == Needs::kWeights;
  if (layout && !file_.alignment_known) {
    return "the alignment is not known, so where the data begins is not";
  }
  if (needs == Needs::kWeights &&
      model_.scans().size() < file_.tensors.size()) {
    return report_.incomplete;
  }
  return "";
}

void Validator::RunCheck(const Check& check) {
  if (deadline_.passed()) {
    report_.incomplete = deadline_.limit();
    report_.not_checked.push_back({check.rule, report_.incomplete});
    return;
  }
  std::string why = WhyBlocked(check.needs);
  // Keys and tensors that were read are checked even if there are more.
  const bool in_part =
      file_.progress >= Progress::kHeader &&
      (check.needs == Needs::kKeys || check.needs == Needs::kTensors);
  if (check.run != nullptr && (why.empty() || in_part)) {
    Finder find(*check.rule, &found_);
    check.run(model_, find);
    if (why.empty()) why = find.why_unchecked();
  }
  // The rule that stopped the parser was checked: it has a finding.
  if (!why.empty() && !(file_.stop && file_.stop->rule == check.rule)) {
    report_.not_checked.push_back({check.rule, std::move(why)});
  }
}

void Validator::CollectFindings() {
  absl::flat_hash_map<const Rule*, size_t> position;  // In the catalogue.
  for (const Check& check : Catalogue()) {
    position.emplace(check.rule, position.size());
    const Severity severity = profile_.SeverityOf(*check.rule);
    const uint64_t count = found_.Count(*check.rule);
    if (count > options_.limits.findings_per_rule &&
        severity != Severity::kOff) {
      report_.more.push_back(
          {check.rule, severity, count - options_.limits.findings_per_rule});
    }
    if (severity == Severity::kError) report_.counts.error += count;
    if (severity == Severity::kWarning) report_.counts.warning += count;
    if (severity == Severity::kNote) report_.counts.note += count;
  }
  for (const Diagnostic& diagnostic : found_.kept()) {
    Assert(diagnostic.where.end <= file_.bytes.size(),
           "a diagnostic lies outside the file");
    const Severity severity = profile_.SeverityOf(*diagnostic.rule);
    if (severity == Severity::kOff) continue;
    report_.findings.push_back({severity, diagnostic});
  }
  const auto key = [&](const Finding& finding) {
    const Diagnostic& diagnostic = finding.diagnostic;
    return std::make_pair(diagnostic.where.begin, position[diagnostic.rule]);
  };
  std::stable_sort(
      report_.findings.begin(), report_.findings.end(),
      [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

// A file that could not be read to its end has passed nothing, even if the rule
// that says so is off.
void Validator::ExplainStop() {
  if (!file_.stop || !report_.incomplete.empty()) return;
  const Rule* rule = file_.stop->rule;
  if (rule == nullptr || profile_.SeverityOf(*rule) == Severity::kOff) {
    report_.incomplete = file_.stop->why;
  }
}

}  // namespace

FileReport Validate(Bytes bytes, absl::string_view name, const Profile& profile,
                    const ValidateOptions& options) {
  return Validator(bytes, name, profile, options).Run();
}

FileReport Unchecked(absl::string_view why, const Profile& profile) {
  FileReport report;
  report.incomplete = std::string(why);
  for (const Check& check : Catalogue()) {
    if (profile.SeverityOf(*check.rule) == Severity::kOff) continue;
    report.not_checked.push_back({check.rule, report.incomplete});
  }
  return report;
}

}  // namespace gguf
