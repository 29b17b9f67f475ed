// ReadPolicy: reads the table [policy] of a ggufcheck.toml.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_READ_POLICY_H_
#define GGUF_CONFORMANCE_CONFIG_READ_POLICY_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/config/toml_file.h"
#include "conformance/rules/policy/policy.h"

namespace gguf {

// Reads the table into `*policy`.  Reports errors with TomlTable::Fail().
void ReadPolicy(TomlTable table, Policy* policy);

// Reads a number, or a string with a unit such as "50G".  Returns as Read().
bool ReadSize(TomlTable table, absl::string_view key, uint64_t* value);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_READ_POLICY_H_
