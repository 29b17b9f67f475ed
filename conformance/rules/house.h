// HouseRules: what somebody asks of model files beyond the format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_HOUSE_H_
#define GGUF_CONFORMANCE_RULES_HOUSE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "parser/rule.h"
#include "re2/re2.h"

namespace gguf {

// Each member is what one rule of house_checks.cc goes by; an empty one asks
// nothing.  Constant while files are checked: threads share it.
struct HouseRules {
  // Of a file's base name, all of it.
  std::shared_ptr<const RE2> file_name;

  std::optional<uint64_t> file_size;  // The most bytes of a file.

  std::set<std::string> architectures;  // As general.architecture names them.

  std::set<std::string> tensor_types;  // As FindTensorType() names them.

  // A key that shall be there, and globs of which one fits its value.
  struct Key {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Key> keys;
};

// The rules that go by the members that are set: house_checks.cc.
std::vector<const Rule*> RulesOf(const HouseRules& house);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_HOUSE_H_
