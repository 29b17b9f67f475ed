// Validates JSON against a schema.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_JSON_SCHEMA_H_
#define GGUF_CONFORMANCE_TESTING_JSON_SCHEMA_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace gguf {

// Returns the contents of a file, which must be JSON.
nlohmann::json JsonFile(const std::string& path);

// Returns the violations in the document, each as "/place/in/document: what".
std::vector<std::string> SchemaViolations(const nlohmann::json& schema,
                                          const nlohmann::json& document);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_JSON_SCHEMA_H_
