// For any bytes, a check with any profile, options and file name terminates,
// every finding lies inside the file, and the same file gives the same report
// twice.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "conformance/base/bytes.h"
#include "fuzz/check_file.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const gguf::FileReport report = gguf::CheckFile(gguf::Bytes(data, size));
  return report.counts.error > 0 || !report.incomplete.empty() ? 1 : 0;
}
