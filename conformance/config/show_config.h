// ShowConfig: a configuration as text, and a commented one to begin with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_SHOW_CONFIG_H_
#define GGUF_CONFORMANCE_CONFIG_SHOW_CONFIG_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/config/config.h"

namespace gguf {

// Returns all settings in force as a ggufcheck.toml.  A comment on each line
// tells whether it is the default or comes from `source`, the name of the file.
std::string ShowConfig(const Config& config, absl::string_view source);

// A ggufcheck.toml with every key as a comment.
extern const char kConfigTemplate[];

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_SHOW_CONFIG_H_
