// Measures the SHA-256 of a whole file in the same pass as its weights.  Run it
// with `./dev bench sha256`.
//
// Checks a file in the page cache with its weights, with its SHA-256, and with
// both: bytes per second, and the ratio of both to the slower of the two, with
// one thread and with two.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "bench/page_cached_file.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint64_t kDataBytes = uint64_t{512} << 20;
constexpr int kRepeats = 9;

// One tensor of the type Q8_0 with random scales and weights.
std::string MakeFile() {
  constexpr uint32_t kQ8_0 = 8;
  constexpr uint64_t kBlock = 34;  // Bytes, for 32 weights.
  const uint64_t blocks = kDataBytes / kBlock;
  GgufBuilder b;
  b.Tensor("w", {32, blocks}, kQ8_0);
  b.data_bytes = 0;
  b.after_data.resize(blocks * kBlock);
  std::mt19937 random(1);
  for (char& byte : b.after_data) byte = static_cast<char>(random() & 0x3F);
  return b.Build();
}

// Returns the seconds of a check, with a fresh mapping.
double Seconds(const PageCachedFile& file, bool weights, bool sha256, unsigned jobs) {
  const Mapping map(file);
  CheckOptions options;
  options.weights = weights;
  Expected expected;
  if (sha256) {
    options.sha256 = std::string(64, '0');
    expected.sha256.emplace().sha256 = options.sha256;
  }
  Work work;
  work.jobs = jobs;
  const auto begin = std::chrono::steady_clock::now();
  const FileReport report =
      Validate(map.bytes(), *Profile::Find("upload"), options, expected, work);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (!report.incomplete.empty()) std::abort();
  return spent.count();
}

void Measure(const PageCachedFile& file, unsigned jobs) {
  // Alternates the three and takes the best of each, because the machine may
  // have other work.
  double weights = 1e9, sha256 = 1e9, both = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    weights = std::min(weights, Seconds(file, true, false, jobs));
    sha256 = std::min(sha256, Seconds(file, false, true, jobs));
    both = std::min(both, Seconds(file, true, true, jobs));
  }
  const double gigabytes = static_cast<double>(file.size()) / 1e9;
  std::printf("%7u  %7.2f  %7.2f  %7.2f  %5.2f\n", jobs, gigabytes / weights, gigabytes / sha256,
              gigabytes / both, std::max(weights, sha256) / both);
}

}  // namespace
}  // namespace gguf

int main() {
  const gguf::PageCachedFile file(gguf::MakeFile());
  std::printf("GB/s     weights  SHA-256     both  ratio\nthreads\n");
  for (const unsigned jobs : {1u, 2u}) gguf::Measure(file, jobs);
  return 0;
}
