// Facts about ggufcheck itself: its version and its pages.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_PROJECT_H_
#define GGUF_CONFORMANCE_BASE_PROJECT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// The version shown by reports and --version.
inline constexpr char kToolVersion[] = "0.2.0";

// Returns the URL of the project.  Its owner is that of the build
// (--define=OWNER=name).
std::string ProjectUrl();

// Returns the URL of the page that explains the rule with this id, or an empty
// text if the site is not published.
std::string RuleUrl(absl::string_view rule);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_PROJECT_H_
