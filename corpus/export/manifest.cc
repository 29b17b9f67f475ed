// Writes the manifest as JSON.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/manifest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace gguf::corpus {
namespace {

using nlohmann::ordered_json;

constexpr char kSchema[] = "ggufcheck/manifest/1";

std::string Write(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json OrNull(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

template <class Value>
ordered_json OrNull(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json RulesJson(const Case& source) {
  ordered_json rules = ordered_json::object();
  for (const Expectation& expectation : source.expectations) {
    std::set<std::string> ids;
    for (const ExpectedFinding& finding : expectation.findings) {
      ids.insert(finding.rule);
    }
    rules[expectation.profile] = ids;
  }
  return rules;
}

ordered_json IncompleteJson(const Case& source) {
  ordered_json profiles = ordered_json::array();
  for (const Expectation& expectation : source.expectations) {
    if (expectation.incomplete) profiles.push_back(expectation.profile);
  }
  return profiles;
}

// Causes are the same in all profiles; expectations list them under the first, `upload`.
ordered_json CausesJson(const Case& source) {
  std::set<std::string> kinds;
  for (const Expectation& expectation : source.expectations) {
    kinds.insert(expectation.causes.begin(), expectation.causes.end());
  }
  return kinds;
}

ordered_json CaseJson(const BuiltCase& built) {
  const Case& source = built.source;
  const ordered_json file = built.file_name();
  ordered_json options = ordered_json::array();
  if (source.weights) options.push_back("--weights");
  if (!source.base_model.empty()) {
    options.push_back("--base");
    options.push_back(source.base_model + ".gguf");
  }
  ordered_json json = {
      {"id", source.id},
      {"verdict", std::string(VerdictName(source.verdict))},
      {"title", source.title},
      {"why", OrNull(source.why)},
      {"level", source.level},
      {"importance", source.importance},
      {"flags", source.flags},
      {"clause", OrNull(source.clause)},
      {"references", source.references},
      {"scope", source.scope},
      {"base", OrNull(source.base)},
      {"file", built.is_recipe() ? ordered_json() : file},
      {"big_file", built.is_recipe() ? file : ordered_json()},
      {"dump", OrNull(built.dump_name())},
      {"dump_sha256", OrNull(built.dump_sha256())},
      {"file_name", OrNull(source.file_name)},
      {"set", source.set},
      {"size", built.size},
      {"sha256", OrNull(built.sha256)},
      {"version", OrNull(built.version)},
      {"endian", OrNull(built.endian)},
      {"options", options},
      {"budget", {{"ms", source.budget_ms}, {"mib", source.budget_mib}}},
      {"rules", RulesJson(source)},
      {"incomplete", IncompleteJson(source)},
  };
  ordered_json causes = CausesJson(source);
  if (!causes.empty()) json["causes"] = std::move(causes);
  return json;
}

// "section/name.gguf" or "section/name.json", and nothing outside an export.
bool IsOurName(absl::string_view name) {
  return std::count(name.begin(), name.end(), '/') == 1 && name[0] != '/' &&
         (absl::EndsWith(name, ".gguf") || absl::EndsWith(name, ".json")) &&
         std::count(name.begin(), name.end(), '.') == 1 &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isgraph(c); });
}

}  // namespace

std::string ManifestText(const Collection& collection) {
  ordered_json flags = ordered_json::object();
  for (const Flag& flag : collection.flags) flags[flag.name] = flag.meaning;
  std::string text =
      absl::StrCat("{\"schema\":\"", kSchema, "\",\n\"flags\":", Write(flags), ",\n\"cases\":[");
  const char* separator = "\n";
  for (const BuiltCase& built : collection.cases) {
    absl::StrAppend(&text, separator, Write(CaseJson(built)));
    separator = ",\n";
  }
  absl::StrAppend(&text, "\n]}\n");
  return text;
}

bool FitsManifest(const std::string& text) { return ordered_json::parse(Write(text)) == text; }

std::optional<std::vector<std::string>> ManifestIds(absl::string_view text) {
  const ordered_json manifest = ordered_json::parse(text.begin(), text.end(), nullptr, false);
  if (!manifest.contains("cases") || manifest.value("schema", ordered_json()) != kSchema) {
    return std::nullopt;
  }
  std::vector<std::string> ids;
  for (const ordered_json& entry : manifest["cases"]) {
    if (!entry.contains("id") || !entry["id"].is_string()) {
      return std::nullopt;
    }
    ids.push_back(entry["id"]);
  }
  return ids;
}

std::set<std::string> ManifestFiles(absl::string_view text) {
  std::set<std::string> files;
  if (!ManifestIds(text)) return files;
  const ordered_json manifest = ordered_json::parse(text.begin(), text.end());
  for (const ordered_json& entry : manifest["cases"]) {
    for (const char* member : {"file", "big_file", "dump"}) {
      const ordered_json name = entry.value(member, ordered_json());
      if (name.is_string() && IsOurName(name.get<std::string>())) {
        files.insert(name.get<std::string>());
      }
    }
  }
  return files;
}

}  // namespace gguf::corpus
