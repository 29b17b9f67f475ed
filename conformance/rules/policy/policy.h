// Policy: a user's requirements on model files, beyond the format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_POLICY_POLICY_H_
#define GGUF_CONFORMANCE_RULES_POLICY_POLICY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "parser/rule.h"
#include "re2/re2.h"

namespace gguf {

// Each member configures one or two rules of policy_checks.cc; an empty one
// requires nothing.  Constant while files are checked: threads share it.
struct Policy {
  std::shared_ptr<const RE2> file_name;  // Matches the whole base name.

  std::optional<uint64_t> file_size;  // The most bytes of a file.

  std::set<std::string> architectures;  // As general.architecture names them.

  std::set<std::string> tensor_types;  // As FindTensorType() names them.

  // A required key, and globs of which one matches its value.
  struct Key {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Key> keys;
};

// Returns the rules whose members are set.
std::vector<const Rule*> RulesOf(const Policy& policy);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_POLICY_POLICY_H_
