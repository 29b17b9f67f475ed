// For any bytes, validation with every profile terminates, every finding lies
// inside the file, and the same file gives the same report twice.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "fuzz/require.h"
#include "parser/core/bytes.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

bool Same(const FileReport& a, const FileReport& b) {
  bool same = a.findings.size() == b.findings.size() &&
              a.not_checked.size() == b.not_checked.size() &&
              a.more.size() == b.more.size() && a.incomplete == b.incomplete;
  for (size_t i = 0; same && i < a.findings.size(); ++i) {
    const Diagnostic& one = a.findings[i].diagnostic;
    const Diagnostic& other = b.findings[i].diagnostic;
    same = one.rule == other.rule && one.message == other.message &&
           one.subject == other.subject &&
           one.where.begin == other.where.begin &&
           one.where.end == other.where.end;
  }
  return same;
}

bool HasErrorIn(const FileReport& report) {
  return report.counts.error > 0 || !report.incomplete.empty();
}

}  // namespace
}  // namespace gguf

// The size selects the profile, so that each file has one and each profile has
// many files.
extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const gguf::Bytes bytes(data, size);
  const auto profiles = gguf::Profile::BuiltIn();
  const gguf::Profile& profile = profiles[size % profiles.size()];
  gguf::ValidateOptions options;
  options.weights = true;
  const gguf::FileReport report = gguf::Validate(bytes, profile, options);
  for (const gguf::Finding& finding : report.findings) {
    const gguf::Range where = finding.diagnostic.where;
    gguf::Require(where.begin <= where.end && where.end <= size);
  }
  gguf::Require(gguf::Same(report, gguf::Validate(bytes, profile, options)));
  return gguf::HasErrorIn(report) ? 1 : 0;
}
