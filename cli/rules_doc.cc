// Prints docs/rules.md and docs/troubleshooting.md.  `bazel run //cli:rules_doc` writes them into
// the tree.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/report/rules_json.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/search.h"
#include "conformance/rules/statements.h"

namespace gguf {
namespace {

const char* AboutWhat(Scope scope) {
  switch (scope) {
    case Scope::kContainer:
      return "the container";
    case Scope::kModel:
      return "the model";
  }
  return "";
}

std::string RulesDocument() {
  std::string out =
      "# Rules\n\n"
      "Generated from the catalogue by `bazel run //cli:rules_doc`; a test fails when it is stale. "
      "Rules in preview are off without `--preview`.\n\n"
      "| rule |";
  for (const Profile& profile : Profile::BuiltIn()) {
    absl::StrAppend(&out, " ", profile.name(), " |");
  }
  out += "\n|---|";
  for (size_t i = 0; i < Profile::BuiltIn().size(); ++i) out += "---|";
  out += "\n";
  for (const Rule* rule : Catalogue()) {
    absl::StrAppend(&out, "| [", rule->id, "](#", rule->id, ") |");
    for (Profile profile : Profile::BuiltIn()) {
      profile.EnablePreview();
      const Severity severity = profile.SeverityOf(*rule);
      absl::StrAppend(&out, " ", severity == Severity::kOff ? "-" : SeverityName(severity), " |");
    }
    out += "\n";
  }
  for (const Rule* rule : Catalogue()) {
    absl::StrAppend(&out, "\n## ", rule->id, "\n\n", rule->summary, "\n\n");
    absl::StrAppend(&out, "- About: ", AboutWhat(rule->scope), "\n");
    absl::StrAppend(&out, "- Why: ", rule->why, "\n");
    absl::StrAppend(&out, "- Repair: ", rule->repair, "\n");
    absl::StrAppend(&out, "- Fix: ", FixText(*rule), "\n");
    absl::StrAppend(&out, "- Source: ", rule->citation, "\n");
    const std::string lines = LinesOf(rule->id);
    if (!lines.empty()) {
      absl::StrAppend(&out, "- Lines: ", lines, " ([statements](statements.tsv))\n");
    }
    absl::StrAppend(&out, "- Since: ", rule->since, "\n");
    if (rule->stage != Stage::kStable) {
      absl::StrAppend(&out, "- Status: ", StageName(rule->stage), "\n");
    }
  }
  return out;
}

}  // namespace
}  // namespace gguf

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::pair<const char*, std::string> documents[] = {
      {"rules.md", gguf::RulesDocument()}, {"troubleshooting.md", gguf::TroubleshootingText()}};
  for (const auto& [name, text] : documents) {
    if (workspace == nullptr) {
      std::cout << text;
      continue;
    }
    std::ofstream file(absl::StrCat(workspace, "/docs/", name));
    if (!(file << text << std::flush)) return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
