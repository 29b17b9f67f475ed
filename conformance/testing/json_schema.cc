// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/json_schema.h"

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "valijson/adapters/nlohmann_json_adapter.hpp"
#include "valijson/schema.hpp"
#include "valijson/schema_parser.hpp"
#include "valijson/validation_results.hpp"
#include "valijson/validator.hpp"

namespace gguf {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

// Returns "<root>", "[files]", "[0]" as "/files/0".
std::string PathOf(const std::vector<std::string>& context) {
  std::string path;
  for (size_t i = 1; i < context.size(); ++i) {
    absl::StrAppend(&path, "/", context[i].substr(1, context[i].size() - 2));
  }
  return path;
}

}  // namespace

nlohmann::json JsonFile(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

std::vector<std::string> SchemaViolations(const nlohmann::json& schema,
                                          const nlohmann::json& document) {
  valijson::Schema parsed;
  valijson::SchemaParser().populateSchema(Adapter(schema), parsed);
  valijson::ValidationResults results;
  valijson::Validator().validate(parsed, Adapter(document), &results);
  std::vector<std::string> violations;
  std::string within;  // The last violation; the enclosing values fail, too.
  for (const auto& [context, description] : results) {
    const std::string path = PathOf(context);
    if (absl::StartsWith(within, path + "/")) continue;
    within = path;
    violations.push_back(absl::StrCat(path, ": ", description));
  }
  return violations;
}

}  // namespace gguf
