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

// A longer template is scanned once.
constexpr size_t kLongestFollowed = 1 << 17;

}  // namespace

TemplateScan ScanTemplate(absl::string_view text) {
  const auto flow = std::make_unique<Flow>();
  const int most = text.size() > kLongestFollowed ? 1 : kMostScans;
  for (int scans = 1;; ++scans) {
    if (scans == most) flow->GiveUp();
    flow->BeginScan();
    TemplateScan scan = Scanner(text, flow.get()).Run();
    if (scans == most || !flow->has_grown()) return scan;
  }
}

}  // namespace gguf::jinja
