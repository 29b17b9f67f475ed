// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/project.h"

#include "absl/strings/str_cat.h"

namespace gguf {

std::string ProjectUrl() {
  return "https://github.com/" GGUFCHECK_OWNER "/ggufcheck";
}

std::string RuleUrl(absl::string_view rule) {
  return absl::StrCat(ProjectUrl(), "/blob/main/docs/rules.md#", rule);
}

}  // namespace gguf
