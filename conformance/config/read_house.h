// ReadHouse: the table [house] of a ggufcheck.toml.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_READ_HOUSE_H_
#define GGUF_CONFORMANCE_CONFIG_READ_HOUSE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/config/toml_file.h"
#include "conformance/rules/house.h"

namespace gguf {

// Errors are said to the table.
void ReadHouse(TomlTable table, HouseRules* house);

// Reads a number, or a text with a unit such as "50G".  False as Read().
bool ReadSize(TomlTable table, absl::string_view key, uint64_t* value);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_READ_HOUSE_H_
