// The corpus's manifest conforms to its schema, and the schema rejects errors.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/report/testing/json_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace gguf {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

// The schema is open, because members may be added; this manifest has only the
// members that it describes.
std::vector<std::string> Violations(const json& document) {
  json schema = JsonFile("corpus/manifest.schema.json");
  for (const char* type : {"manifest", "case", "budget"}) {
    json& object = schema["$defs"][type];
    EXPECT_FALSE(object.contains("additionalProperties")) << type;
    object["additionalProperties"] = false;
  }
  return SchemaViolations(schema, document);
}

TEST(ManifestSchemaTest, TheManifestObeysIt) {
  const json manifest = JsonFile("corpus/manifest.json");
  EXPECT_FALSE(manifest["cases"].empty());
  EXPECT_THAT(Violations(manifest), IsEmpty());
}

TEST(ManifestSchemaTest, EveryMemberIsDescribed) {
  const json schema = JsonFile("corpus/manifest.schema.json");
  for (const char* type : {"manifest", "case", "budget"}) {
    for (const auto& [name, member] :
         schema["$defs"][type]["properties"].items()) {
      EXPECT_TRUE(member.contains("description")) << type << ", " << name;
    }
  }
}

TEST(ManifestSchemaTest, WhatNoManifestMayBeIsRefused) {
  const struct {
    const char* change;  // A JSON patch.
    const char* violation;
  } cases[] = {
      {R"({"op":"replace","path":"/schema","value":"ggufcheck/report/1"})",
       "/schema: Failed to match against any enum values."},
      {R"({"op":"add","path":"/colour","value":1})",
       ": Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"add","path":"/flags/X","value":""})",
       "/flags/X: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"remove","path":"/cases/0/sha256"})",
       "/cases/0: Missing required property 'sha256'."},
      {R"({"op":"add","path":"/cases/0/colour","value":1})",
       "/cases/0: Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"replace","path":"/cases/0/id","value":"a/b"})",
       "/cases/0/id: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"replace","path":"/cases/0/verdict","value":"good"})",
       "/cases/0/verdict: Failed to match against any enum values."},
      {R"({"op":"replace","path":"/cases/0/file","value":"../a.gguf"})",
       "/cases/0/file: Failed to match regex specified by 'pattern' "
       "constraint."},
      {R"({"op":"replace","path":"/cases/0/size","value":"7"})",
       "/cases/0/size: Value type not permitted by 'type' constraint."},
      {R"({"op":"replace","path":"/cases/0/version","value":-1})",
       "/cases/0/version: Expected number greater than or equal to 0.000000"},
      {R"({"op":"replace","path":"/cases/0/budget/ms","value":0})",
       "/cases/0/budget/ms: Expected number greater than or equal to 1.000000"},
      {R"({"op":"add","path":"/cases/0/rules/x","value":["A b"]})",
       "/cases/0/rules/x/0: Failed to match regex specified by 'pattern' "
       "constraint."},
      {R"({"op":"replace","path":"/cases","value":{}})",
       "/cases: Value type not permitted by 'type' constraint."},
  };
  json small = JsonFile("corpus/manifest.json");  // Its first case is enough.
  small["cases"] = json::array({small["cases"][0]});
  for (const auto& [change, violation] : cases) {
    const json changed = small.patch(json::array({json::parse(change)}));
    EXPECT_THAT(Violations(changed), ElementsAre(violation)) << change;
  }
}

}  // namespace
}  // namespace gguf
