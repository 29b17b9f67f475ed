// Describes the file, runs the checks, and sorts their findings by their place in the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/validate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/model/file_name.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/model/shard_set.h"
#include "conformance/model/tensor_data.h"
#include "conformance/model/whole_digest.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/causes/causes.h"
#include "conformance/rules/check.h"
#include "conformance/rules/needed_build.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/stored_models.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"
#include "parser/parse_legacy.h"

namespace gguf {
namespace {

FileReport::Extremes ExtremesOf(const File& file) {
  FileReport::Extremes extremes;
  for (const KeyValue& kv : file.keys) {
    extremes.longest_array = std::max(extremes.longest_array, kv.length);
  }
  for (const TensorInfo& tensor : file.tensors) {
    extremes.largest_dimension = std::max(
        extremes.largest_dimension, *std::max_element(tensor.dims.begin(), tensor.dims.end()));
    if (tensor.type_info() != nullptr) {
      extremes.tensor_types |= uint64_t{1} << tensor.type.value;
    }
  }
  return extremes;
}

// Fills in the format, the size, the counts, the largest dimensions, and the build of llama.cpp
// that a file needs, as far as it was read.
void DescribeFile(const Model& model, FileReport* report) {
  const File& file = model.file;
  if (const ShardSet* set = model.shard_set()) {
    const ShardName& name = set->ShardOf(model).name;
    report->shard = {name.number, name.count};
  }
  report->size = file.size;
  report->format = file.kind.format;
  report->version = file.kind.version;
  if (file.legacy) report->about = AboutLegacy(file);
  if (file.progress < Progress::kHeader) return;
  report->endian = file.encoding.endian;
  if (!file.legacy) {
    report->version = file.version.value;
    report->keys = file.keys.size();
  }
  report->tensors = file.tensors.size();
  if (file.legacy) return;  // Kinds and extremes exist only for GGUF.
  if (file.progress >= Progress::kKeys) report->kind = model.kind().kind;
  report->extremes = ExtremesOf(file);
  report->needs = FindNeededBuild(model);
  if (OnlyModels(model).empty()) report->context = ContextSizeOf(model.hparams());
}

// Removes findings that another one about the same bytes implies, unless the
// user has made that one less severe.
void DropImplied(const Profile& profile, FileReport* report) {
  absl::flat_hash_set<std::pair<absl::string_view, uint64_t>> places;
  for (const Finding& finding : report->findings) {
    places.emplace(finding.diagnostic.rule->id, finding.diagnostic.where.begin);
  }
  const auto is_implied = [&](const Finding& finding) {
    const Diagnostic& found = finding.diagnostic;
    const bool implied = absl::c_any_of(found.rule->implied_by, [&](const char* other) {
      return other != nullptr && places.contains({other, found.where.begin}) &&
             profile.SeverityOf(*FindRule(other)) >= finding.severity;
    });
    if (implied) --report->counts.of(finding.severity);
    return implied;
  };
  auto& findings = report->findings;
  findings.erase(std::remove_if(findings.begin(), findings.end(), is_implied), findings.end());
}

// Moves what was found into a report, whose `size` is that of the file: findings by their place in
// the file, those of rules that are off apart, and counts.  `most` of each rule were kept.
void CollectFindings(const Profile& profile, uint64_t most, Diagnostics* found,
                     FileReport* report) {
  // Positions of the rules with findings, in the order of the catalogue.
  absl::flat_hash_map<const Rule*, size_t> position;
  for (const Rule* rule : Catalogue()) {
    const uint64_t count = found->Count(*rule);
    if (count == 0) continue;
    position.emplace(rule, position.size());
    const Severity severity = profile.SeverityOf(*rule);
    if (count > most) {
      auto& more = severity == Severity::kOff ? report->off.more : report->more;
      more.push_back({rule, severity, count - most});
    }
    if (severity != Severity::kOff) report->counts.of(severity) += count;
  }
  for (Diagnostic& diagnostic : found->TakeKept()) {
    Assert(diagnostic.where.end <= report->size, "a diagnostic lies outside the file");
    const Severity severity = profile.SeverityOf(*diagnostic.rule);
    auto& findings = severity == Severity::kOff ? report->off.findings : report->findings;
    findings.push_back({severity, std::move(diagnostic)});
  }
  DropImplied(profile, report);
  const auto key = [&](const Finding& finding) {
    const Diagnostic& diagnostic = finding.diagnostic;
    return std::make_pair(diagnostic.where.begin, position[diagnostic.rule]);
  };
  for (auto* findings : {&report->findings, &report->off.findings}) {
    std::stable_sort(findings->begin(), findings->end(),
                     [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  }
}

// Runs the checks.
class Validator {
 public:
  Validator(const Source& source, const Profile& profile, const CheckOptions& options,
            const Expected& expected, const Work& work)
      : profile_(profile),
        options_(options),
        expected_(expected),
        work_(work),
        bytes_(source.prefix),
        deadline_(options.limits.seconds, work.interrupted),
        found_(options.limits.findings_per_rule),
        model_(Parse(source, options.limits, &found_), options.limits),
        file_(model_.file),
        header_only_(!source.is_whole()),
        why_stopped_(file_.stop ? file_.stop->Why() : "") {}

  Model& model() { return model_; }

  FileReport Run() {
    context_.base = expected_.base;
    context_.policy = expected_.policy;
    context_.compares_digests = !options_.digest.empty();
    context_.compares_sha256 = !options_.sha256.empty();
    comparison_.origin = expected_.origin;
    if (expected_.origin != nullptr) context_.comparison = &comparison_;
    const DeadlineScope scope(&deadline_);
    try {
      if (expected_.base != nullptr) report_.with_base.emplace();
      DescribeFile(model_, &report_);
      ReadData();
    } catch (const DeadlinePassed&) {
      report_.incomplete = deadline_.why();
    }
    bool any = false;
    report_.not_checked.reserve(Catalogue().size());
    for (const Rule* rule : Catalogue()) {
      const bool is_off = IsOff(*rule);
      if (!IsAbout(*rule, file_) || (is_off && !options_.readers)) continue;
      RunCheck(*rule, is_off);
      any = any || !is_off;
    }
    if (expected_.origin != nullptr && file_.legacy) {
      report_.incomplete = "only GGUF files are compared";
    }
    if (!any) {
      report_.incomplete = "no selected rule applies to files of this format";
    }
    if (report_.incomplete.empty() && deadline_.passed()) {
      report_.incomplete = deadline_.why();
    }
    report_.compared = std::move(comparison_.tensors);
    SettleBase();
    CollectFindings(profile_, options_.limits.findings_per_rule, &found_, &report_);
    try {
      AddCauses(model_, &report_);
    } catch (const DeadlinePassed&) {
      if (report_.incomplete.empty()) report_.incomplete = deadline_.why();
    }
    ExplainStop();
    return std::move(report_);
  }

 private:
  bool IsOff(const Rule& rule) const { return profile_.SeverityOf(rule) == Severity::kOff; }
  void ReadData();
  void ReadWeights(unsigned jobs);
  void ReadDigest();
  void Compare();
  void NotChecked(const Rule& rule, bool is_off, Reason why);
  Reason RunInTime(Rule::Check check, Finder& find);
  void RunCheck(const Rule& rule, bool is_off);
  void RecordBase(const Finder& find, const Reason& why);
  void SettleBase();
  // Returns why the check's input is not available; empty if it is.
  Reason WhyBlocked(Needs needs) const;
  void ExplainStop();

  const Profile& profile_;
  const CheckOptions& options_;
  const Expected& expected_;
  const Work& work_;
  const Bytes bytes_;
  const Deadline deadline_;
  Diagnostics found_;
  Model model_;
  CheckContext context_{model_};
  const File& file_;
  const bool header_only_;
  const SharedText why_stopped_;  // Empty if everything was read.
  Comparison comparison_;
  FileReport report_;
};

void Validator::ReadData() {
  if (header_only_) {
    if (ReadsData(options_)) report_.incomplete = "only the header was read";
    return;
  }
  const bool weights = options_.reads_weights();
  const bool digests = !options_.digest.empty();
  // A thread of its own reads the file from its beginning.
  std::optional<WholeDigest> whole;
  if (!options_.sha256.empty() && expected_.sha256) {
    whole.emplace(bytes_, weights || digests ? nullptr : work_.progress,
                  [this] { return deadline_.passed(); });
  }
  const unsigned others = whole && work_.jobs > 1 ? 1 : 0;
  if (weights) ReadWeights(work_.jobs - others);
  if (expected_.origin != nullptr && expected_.origin->model() != nullptr) {
    Compare();
  }
  if (digests) ReadDigest();
  context_.wanted_sha256 = expected_.sha256;
  if (whole) context_.found_sha256 = whole->Finish();
  if (whole && !context_.found_sha256) report_.incomplete = deadline_.why();
}

void Validator::ReadWeights(unsigned jobs) {
  // In a legacy (pre-GGUF) file, each tensor's data follows its header.
  // Tensors that were read can be scanned even if later ones were not.
  const bool has_data = file_.legacy && options_.stats;
  if (!has_data && !WhyBlocked(Needs::kLayout).empty()) return;
  ScanOptions scan;
  scan.jobs = jobs;
  scan.stats = options_.stats;
  scan.progress = work_.progress;
  scan.stop = [&] { return deadline_.passed(); };
  auto scans = ScanTensors(file_, model_.placement(), scan);
  if (!scans) {
    report_.incomplete = deadline_.why();
    return;
  }
  context_.scans = std::move(scans->tensors);
  model_.AddScan(scans->faults);
  if (!options_.stats) return;
  for (const TensorInfo& tensor : file_.tensors) {
    const TensorScan& tensor_scan = context_.scans[tensor.index];
    if (!tensor_scan.scanned) continue;
    report_.stats.push_back({std::string(tensor.name.value),
                             tensor.type_info()->name,
                             {tensor.dims.begin(), tensor.dims.begin() + tensor.rank()},
                             tensor_scan.stats});
  }
}

void Validator::Compare() {
  if (!WhyBlocked(Needs::kLayout).empty()) return;
  CompareOptions compare;
  compare.jobs = work_.jobs;
  compare.progress = work_.progress;
  compare.stop = [&] { return deadline_.passed(); };
  auto tensors = CompareTensors(file_, model_.placement(), *expected_.origin, compare);
  if (!tensors) {
    report_.incomplete = deadline_.why();
    return;
  }
  comparison_.tensors = *std::move(tensors);
}

void Validator::ReadDigest() {
  context_.wanted_digest = expected_.digest;
  if (expected_.digest == nullptr || !WhyBlocked(Needs::kLayout).empty() ||
      !model_.placement().data_end) {
    return;
  }
  DigestOptions digest;
  digest.jobs = work_.jobs;
  digest.progress = work_.progress;
  digest.stop = [&] { return deadline_.passed(); };
  context_.found_digest = DigestFile(file_, DataRanges(file_), digest);
  if (!context_.found_digest) report_.incomplete = deadline_.why();
}

Reason Validator::WhyBlocked(Needs needs) const {
  static constexpr Progress kNeeded[] = {
      Progress::kNothing,  // kName
      Progress::kMagic,    // kMagic
      Progress::kHeader,   // kHeader
      Progress::kKeys,     // kKeys
      Progress::kTensors,  // kTensors
      Progress::kTensors,  // kLayout
      Progress::kTensors,  // kPadding
      Progress::kTensors,  // kWeights
  };
  if (needs == Needs::kWeights && !options_.reads_weights()) {
    return Reason::NotRequested();
  }
  if (needs == Needs::kPadding && header_only_) {
    return Reason::NotRequested();
  }
  if (file_.progress < kNeeded[static_cast<int>(needs)]) {
    const Rule* rule = file_.stop->rule;
    const bool is_found = rule != nullptr && !IsOff(*rule);
    return {why_stopped_, is_found ? Reason::kStopped : Reason::kIncomplete};
  }
  const bool layout = needs >= Needs::kLayout;
  if (layout && !file_.alignment_known) {
    return "the alignment is unknown, and with it the start of the data";
  }
  if (needs == Needs::kWeights && context_.scans.size() < file_.tensors.size()) {
    return {report_.incomplete, Reason::kIncomplete};
  }
  return {};
}

// Returns why the rule was not checked, or not everywhere; empty if it was.
Reason Validator::RunInTime(Rule::Check check, Finder& find) {
  if (!deadline_.passed()) {
    try {
      Reason why = WhyNot(find.rule(), context_);
      if (!why.empty()) return why;
      check(context_, find);
      return find.why_unchecked();
    } catch (const DeadlinePassed&) {
    }
  }
  report_.incomplete = deadline_.why();
  return {report_.incomplete, Reason::kIncomplete};
}

void Validator::RunCheck(const Rule& rule, bool is_off) {
  Reason why = WhyBlocked(rule.needs);
  // Checks the keys and tensors that were read, even if others were not.
  const bool in_part = file_.progress >= Progress::kHeader &&
                       (rule.needs == Needs::kKeys || rule.needs == Needs::kTensors);
  Finder find(rule, &found_);
  const Rule::Check check = CheckOf(rule);
  if (check != nullptr && (why.empty() || in_part)) {
    Reason unchecked = RunInTime(check, find);
    if (why.empty()) why = std::move(unchecked);
  }
  if (why.meaning == Reason::kSilent) return;
  if (report_.with_base && !is_off && rule.against == Against::kBase) {
    RecordBase(find, why);
  }
  // The rule that stopped the parser was checked and has a finding.
  if (!why.empty() && !(file_.stop && file_.stop->rule == &rule)) {
    NotChecked(rule, is_off, std::move(why));
  }
}

// Keeps the first reason.
void Validator::RecordBase(const Finder& find, const Reason& why) {
  WithBase& with_base = *report_.with_base;
  with_base.compared |= why.empty() || find.checked_in_part();
  if (with_base.why_not.empty()) {
    with_base.why_not = std::string(why.text.view());
  }
}

void Validator::SettleBase() {
  if (!report_.with_base) return;
  WithBase& with_base = *report_.with_base;
  if (with_base.compared) {
    with_base.why_not.clear();
  } else if (file_.stop) {
    report_.with_base.reset();
  } else if (file_.legacy) {
    with_base.why_not = "a base applies only to GGUF files and importance matrices";
  } else if (with_base.why_not.empty()) {
    with_base.why_not = "the profile turns off the rules that compare with it";
  }
}

void Validator::NotChecked(const Rule& rule, bool is_off, Reason why) {
  if (!is_off && why.meaning == Reason::kIncomplete && report_.incomplete.empty()) {
    report_.incomplete = std::string(why.text.view());
  }
  auto& list = is_off ? report_.off.not_checked : report_.not_checked;
  list.push_back({&rule, std::move(why.text), why.meaning});
}

// A file that could not be read to its end has not passed, even if the rule
// that reports this is off.
void Validator::ExplainStop() {
  if (!file_.stop) return;
  const Rule* rule = file_.stop->rule;
  if (rule != nullptr) report_.stopped = std::string(why_stopped_.view());
  report_.stopped_by = rule;
  if (!report_.incomplete.empty()) return;
  if (rule == nullptr || IsOff(*rule)) {
    report_.incomplete = std::string(why_stopped_.view());
  }
}

}  // namespace

FileReport Validate(const Source& source, const Profile& profile, const CheckOptions& options,
                    const Expected& expected, const Work& work) {
  FileReport report = Validator(source, profile, options, expected, work).Run();
  if (report.format != absl::string_view("unknown")) return report;
  CheckStoredModels(
      source,
      [&](const Source& model, size_t count) {
        CheckOptions of_each = options;
        of_each.limits.seconds /= static_cast<double>(count);
        Expected only_base;
        only_base.base = expected.base;
        return Validator(model, profile, of_each, only_base, work).Run();
      },
      &report);
  return report;
}

std::vector<FileReport> ValidateSet(const std::vector<ShardFile>& files, const Profile& profile,
                                    const CheckOptions& options, const Work& work) {
  CheckOptions of_all = options;
  of_all.limits.seconds *= static_cast<double>(files.size());
  const Limits& limits = of_all.limits;
  const Deadline deadline(limits.seconds, work.interrupted);
  std::vector<std::unique_ptr<Validator>> validators;  // Null if not read.
  std::vector<std::string> why_unread;
  std::vector<ShardSet::Shard> shards;
  bool is_split = false;
  uint64_t keys = 0, tensors = 0;  // That were read.
  for (const ShardFile& file : files) {
    const absl::string_view name = file.source.name;
    shards.push_back({name, *ParseShardName(name), nullptr});
    validators.push_back(nullptr);
    why_unread.push_back(file.why_unread);
    std::string& why = why_unread.back();
    if (why.empty() && deadline.passed()) why = deadline.why();
    if (why.empty() && (keys > limits.keys || tensors > limits.tensors)) {
      why = absl::StrCat("the limit of ", limits.keys, " keys and ", limits.tensors,
                         " tensors in all shards of a model");
    }
    if (!why.empty()) continue;
    validators.back() =
        std::make_unique<Validator>(file.source, profile, of_all, file.expected, work);
    shards.back().model = &validators.back()->model();
    is_split |= shards.back().model->hparams().may_be_shard();
    keys += shards.back().model->file.keys.size();
    tensors += shards.back().model->file.tensors.size();
  }
  std::optional<ShardSet> set;
  if (is_split) set.emplace(std::move(shards));
  std::vector<FileReport> reports;
  for (size_t i = 0; i < files.size(); ++i) {
    reports.push_back(validators[i] != nullptr ? validators[i]->Run()
                                               : Unchecked(why_unread[i], profile));
  }
  return reports;
}

FileReport Unchecked(absl::string_view why, const Profile& profile) {
  FileReport report;
  report.incomplete = std::string(why);
  const SharedText reason(report.incomplete);
  for (const Rule* rule : Catalogue()) {
    if (profile.SeverityOf(*rule) == Severity::kOff) continue;
    report.not_checked.push_back({rule, reason, Reason::kIncomplete});
  }
  return report;
}

}  // namespace gguf
