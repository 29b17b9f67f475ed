// SPDX-License-Identifier: Apache-2.0

#include "fuzz/check_file.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/input/read_header.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/policy/policy.h"
#include "fuzz/target.h"
#include "parser/tensor_type.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr absl::string_view kNames[] = {
    "",
    "Model-7B-v1.0-Q4_K_M.gguf",
    "mmproj-Model-F16.gguf",
    "Model-8x7B-Instruct-v0.1-LoRA-00002-of-00003.gguf",
    "ggml-model-q4_0.bin",
    "a\x1b[31m\n::error::##[x]\xE2\x80\xAE\xFF.gguf",
};

const Policy& SomePolicy() {
  static const Policy& policy = *[] {
    auto* some = new Policy;
    some->file_name = std::make_shared<const RE2>("[A-Z].*\\.gguf");
    some->file_size = 300;
    some->architectures = {"llama"};
    some->tensor_types = {"F32", "Q8_0"};
    some->keys = {{"general.name", {"a*", "b"}}, {"general.license", {}}};
    return some;
  }();
  return policy;
}

// Returns types of ids that the mutator writes.
std::shared_ptr<const OwnTypes> SomeTypes() {
  static const auto& types = *[] {
    auto some = std::make_shared<OwnTypes>();
    some->by_id = {{255, {255, "A", "", {32, 18}, ""}},
                   {1000, {1000, "B", "", {1, 0}, "elements * 20 / 32 + 64"}},
                   {0xFFFFFFFF, {0xFFFFFFFF, "C", "", {1, 4}, ""}}};
    return new std::shared_ptr<const OwnTypes>(std::move(some));
  }();
  return types;
}

std::vector<Profile> MakeProfiles() {
  const auto built_in = Profile::BuiltIn();
  std::vector<Profile> all(built_in.begin(), built_in.end());
  std::vector<const Rule*> own = RulesOf(SomePolicy());
  for (const Rule* rule : RulesAgainst(Against::kDigests)) own.push_back(rule);
  for (const Rule* rule : RulesAgainst(Against::kSha256)) own.push_back(rule);
  for (Profile profile : built_in) {
    for (const Rule* rule : own) profile.Override(*rule, Severity::kError);
    all.push_back(profile);
  }
  return all;
}

bool Same(const Diagnostic& a, const Diagnostic& b) {
  return a.rule == b.rule && a.message == b.message && a.subject == b.subject &&
         a.where.begin == b.where.begin && a.where.end == b.where.end;
}

// A server that has the file.
class BytesSource : public ByteSource {
 public:
  explicit BytesSource(Bytes file) : file_(file) {}
  absl::Status ReadTo(uint64_t count, std::string* bytes) override {
    *bytes = std::string(AsText(file_.subspan(0, std::min<uint64_t>(count, file_.size()))));
    return absl::OkStatus();
  }
  std::optional<uint64_t> size() const override { return file_.size(); }

 private:
  const Bytes file_;
};

class BytesReader : public DataReader {
 public:
  explicit BytesReader(Bytes file) : file_(file) {}
  void Read(uint64_t offset, uint8_t* to, size_t size) const override {
    Require(offset <= file_.size() && size <= file_.size() - offset);
    std::copy_n(file_.begin() + offset, size, to);
  }

 private:
  const Bytes file_;
};

}  // namespace

const Profile& AnyProfile(Choice* choice) {
  static const auto& all = *new std::vector<Profile>(MakeProfiles());
  return all[choice->Below(all.size())];
}

CheckOptions AnyOptions(Choice* choice, Expected* expected) {
  CheckOptions options;
  options.weights = !choice->OneIn(4);
  options.stats = choice->OneIn(4);
  options.readers = choice->OneIn(4);
  if (choice->OneIn(8)) options.digest = "a manifest";
  // Messages are most of the work.
  options.limits.findings_per_rule = choice->Below(8);
  if (choice->OneIn(4)) expected->policy = &SomePolicy();
  if (choice->OneIn(16)) {
    options.limits.metadata_bytes = 1 + choice->Below(500);
    options.limits.keys = choice->Below(8);
    options.limits.tensors = choice->Below(8);
    options.limits.tokens = choice->Below(8);
    options.limits.array_elements = choice->Below(8);
    options.limits.array_depth = choice->Below(4);
  }
  if (choice->OneIn(4)) options.limits.own_types = SomeTypes();
  return options;
}

std::string AnyName(Bytes file, Choice* choice) {
  const size_t i = choice->Below(std::size(kNames) + 2);
  if (i < std::size(kNames)) return std::string(kNames[i]);
  const size_t length = std::min<size_t>(file.size(), choice->Below(64));
  return std::string(AsText(file.subspan(file.size() - length)));
}

bool Same(const FileReport& a, const FileReport& b) {
  return std::equal(a.findings.begin(), a.findings.end(), b.findings.begin(), b.findings.end(),
                    [](const Finding& one, const Finding& other) {
                      return one.severity == other.severity &&
                             Same(one.diagnostic, other.diagnostic);
                    }) &&
         a.not_checked.size() == b.not_checked.size() && a.more.size() == b.more.size() &&
         a.stats.size() == b.stats.size() && a.off.findings.size() == b.off.findings.size() &&
         a.off.not_checked.size() == b.off.not_checked.size() && a.incomplete == b.incomplete;
}

void RequireInside(const FileReport& report, uint64_t size) {
  for (const auto* findings : {&report.findings, &report.off.findings}) {
    for (const Finding& finding : *findings) {
      const Range where = finding.diagnostic.where;
      Require(where.begin <= where.end && where.end <= size);
    }
  }
}

FileReport CheckFile(Bytes file) {
  Choice choice(file.data(), file.size());
  const Profile& profile = AnyProfile(&choice);
  Expected expected;
  const CheckOptions options = AnyOptions(&choice, &expected);
  const std::string name = AnyName(file, &choice);
  Source source(file, name);
  source.header_only = choice.OneIn(8);
  std::string prefix;
  if (choice.OneIn(8)) {
    BytesSource server(file);
    auto header = ReadHeader(&server, std::nullopt, options.limits, 1 + choice.Below(64));
    Require(header.ok() || absl::IsUnimplemented(header.status()));
    if (header.ok()) {
      Require(header->size == file.size());
      prefix = std::move(header->prefix);
      source = Source(AsBytes(prefix), file.size(), name);
      const BytesReader data(file);
      Source read = source;
      read.data = &data;
      Require(Same(Validate(read, profile, options, expected),
                   Validate(Source(file, name), profile, options, expected)));
    }
  }
  FileReport report = Validate(source, profile, options, expected);
  RequireInside(report, file.size());
  if (choice.OneIn(8)) {
    Require(Same(report, Validate(source, profile, options, expected)));
  }
  return report;
}

}  // namespace gguf
