// Joins the sources of a page.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/page_source.h"

#include "absl/strings/str_replace.h"

namespace gguf {

std::string WithStyleAndScript(const PageSource& page) {
  return absl::StrReplaceAll(page.html, {{"{{style-hash}}", page.style_hash},
                                         {"{{script-hash}}", page.script_hash},
                                         {"{{style}}", page.style},
                                         {"{{script}}", page.script}});
}

}  // namespace gguf
