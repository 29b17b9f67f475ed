// SchemaChecker: whether JSON obeys a schema.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TESTING_JSON_SCHEMA_H_
#define GGUF_CONFORMANCE_REPORT_TESTING_JSON_SCHEMA_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace gguf {

// Checks documents against a schema of JSON Schema 2020-12, as far as our
// schemas use it: an unknown keyword is a violation, too.
class SchemaChecker {
 public:
  explicit SchemaChecker(nlohmann::json schema);

  // Throws when there is no such file, or it is no JSON.
  static SchemaChecker FromFile(const std::string& path);

  // Each as "/place/in/document: what is wrong".
  std::vector<std::string> Violations(const nlohmann::json& document);

 private:
  void Complain(const std::string& at, const std::string& what);
  void Check(const nlohmann::json& schema, const nlohmann::json& value,
             const std::string& at);
  void CheckType(const nlohmann::json& wanted, const nlohmann::json& value,
                 const std::string& at);
  void CheckMembers(const std::string& keyword, const nlohmann::json& schema,
                    const nlohmann::json& value, const std::string& at);

  const nlohmann::json schema_;
  std::vector<std::string> violations_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TESTING_JSON_SCHEMA_H_
