// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/lint_case.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "corpus/export/manifest.h"

namespace gguf::corpus {
namespace {

using Complaints = std::vector<std::string>;

constexpr absl::string_view kSections[] = {
    "header",    "metadata", "tensors", "layout",   "weights", "model",
    "tokenizer", "template", "shards",  "adapters", "legacy"};

void CheckId(const Case& source, Complaints* complaints) {
  if (std::find(std::begin(kSections), std::end(kSections), source.section) ==
      std::end(kSections)) {
    complaints->push_back(absl::StrCat(
        "unknown section ", source.section,
        "; move the case to one of: ", absl::StrJoin(kSections, " ")));
  }
  const bool portable =
      std::all_of(source.id.begin(), source.id.end(), [](char c) {
        return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' ||
               c == '_' || c == '/';
      });
  if (!portable) {
    complaints->emplace_back(
        "the name has characters other than a-z, 0-9, - and _; rename it");
  }
}

void CheckTexts(const Case& source, Complaints* complaints) {
  std::vector<std::string> texts = source.references;
  texts.insert(texts.end(), {source.title, source.why, source.clause,
                             source.file_name, source.dump});
  for (const std::string& text : texts) {
    if (!FitsManifest(text)) {
      complaints->emplace_back(
          "a string in the front matter or the dump is not UTF-8, which the "
          "manifest requires; write it in UTF-8");
      return;
    }
  }
}

void CheckFlags(const Case& source, const std::vector<Flag>& flags,
                Complaints* complaints) {
  std::set<std::string> seen;
  for (const std::string& name : source.flags) {
    const bool known =
        std::any_of(flags.begin(), flags.end(),
                    [&](const Flag& flag) { return flag.name == name; });
    if (!known) {
      complaints->push_back(absl::StrCat(
          "unknown flag ", name, "; use a flag of flags.tsv, or add it there"));
    }
    if (!seen.insert(name).second) {
      complaints->push_back(
          absl::StrCat("has the flag ", name, " twice; remove one of them"));
    }
  }
  if (source.verdict == Verdict::kEither && source.flags.empty()) {
    complaints->emplace_back(
        "is an either- case without flags; add those on which the verdict "
        "depends");
  }
}

void CheckExpectation(const Case& source, Complaints* complaints) {
  const auto upload =
      std::find_if(source.expectations.begin(), source.expectations.end(),
                   [](const Expectation& e) { return e.profile == "upload"; });
  if (upload == source.expectations.end()) {
    complaints->emplace_back(
        "has no expectation for the profile upload; run //conformance/golden:"
        "golden_test with --update");
    return;
  }
  const bool has_error = std::any_of(
      upload->findings.begin(), upload->findings.end(),
      [](const ExpectedFinding& f) { return f.severity == "error"; });
  if (source.verdict == Verdict::kInvalid && !has_error &&
      !upload->incomplete) {
    complaints->emplace_back(
        "is an invalid- case in which upload finds no error; a rule is "
        "missing, or the verdict is wrong");
  }
  if (source.verdict == Verdict::kValid && has_error) {
    complaints->emplace_back(
        "is a valid- case in which upload finds an error; a rule or the "
        "verdict is wrong");
  }
}

void CheckDump(const Case& source, Complaints* complaints) {
  if (source.verdict == Verdict::kValid && source.dump.empty()) {
    complaints->emplace_back(
        "is a valid- case without a dump; run //conformance/golden:golden_test "
        "with --update");
  }
}

}  // namespace

Complaints LintCase(const BuiltCase& built, const std::vector<Flag>& flags) {
  Complaints complaints;
  CheckId(built.source, &complaints);
  CheckTexts(built.source, &complaints);
  CheckFlags(built.source, flags, &complaints);
  CheckExpectation(built.source, &complaints);
  CheckDump(built.source, &complaints);
  return complaints;
}

}  // namespace gguf::corpus
