// The version, and the addresses of pages.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/project.h"

#include "absl/strings/str_cat.h"

namespace gguf {
namespace {

// Where the release workflow publishes the site (docs/site).  Empty if nobody
// does.
constexpr absl::string_view kSite = "https://" GGUFCHECK_OWNER ".github.io/ggufcheck/";

}  // namespace

std::string ProjectUrl() { return "https://github.com/" GGUFCHECK_OWNER "/ggufcheck"; }

std::string RuleUrl(absl::string_view rule) {
  return kSite.empty() ? "" : absl::StrCat(kSite, "rules/", rule, ".html");
}

}  // namespace gguf
