// Scans a template until the facts of its variables no longer grow.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/template_scan.h"

#include <cstddef>
#include <memory>

#include "conformance/jinja/flow.h"
#include "conformance/jinja/scanner.h"

namespace gguf::jinja {
namespace {

// Real templates need up to seven.
constexpr int kMostScans = 16;

}  // namespace

TemplateScan ScanTemplate(absl::string_view text, size_t* bytes_left) {
  TemplateScan scan;
  scan.is_skipped = text.size() > *bytes_left;
  if (scan.is_skipped) return scan;
  const auto flow = std::make_unique<Flow>();
  for (int scans = 1; text.size() <= *bytes_left; ++scans) {
    const bool is_last = scans == kMostScans || (scans > 1 && *bytes_left / 2 < text.size());
    if (is_last) flow->GiveUp();
    *bytes_left -= text.size();
    flow->BeginScan();
    scan = Scanner(text, flow.get()).Run();
    if (!flow->has_grown()) return scan;
    if (is_last) break;
  }
  scan.is_too_rich = true;
  return scan;
}

}  // namespace gguf::jinja
