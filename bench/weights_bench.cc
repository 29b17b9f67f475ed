// Measures how fast weights are scanned.  Run it with `./dev bench weights`.
//
// Compares every type with a plain read of the same mapping of a page-cached
// file, with one thread and with two: bytes per second, and the ratio to the
// read.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/page_cached_file.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_data.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint64_t kDataBytes = uint64_t{512} << 20;
constexpr int kRepeats = 15;

// Returns the seconds that `read` takes with a fresh mapping.
double Time(const PageCachedFile& file, const std::function<void(Bytes)>& read) {
  const Mapping map(file);
  const auto begin = std::chrono::steady_clock::now();
  read(map.bytes());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return spent.count();
}

void PlainRead(Bytes bytes, unsigned threads) {
  volatile uint64_t sink = 0;
  std::vector<std::thread> others;
  const size_t part = bytes.size() / threads;
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&, i] { sink = SumOf(bytes.subspan(i * part, part)); });
  }
  sink = SumOf(bytes.subspan(0, part));
  for (std::thread& other : others) other.join();
}

// Makes one tensor of about kDataBytes, of random blocks with finite numbers.
std::string FileOf(const TensorTypeInfo& type) {
  const uint64_t blocks = kDataBytes / type.block_bytes;
  GgufBuilder b;
  b.String("tokenizer.chat_template", std::string(1000, 'x'));  // Models have large tables.
  b.Tensor("w", {blocks * type.block_elements}, type.id);
  b.data_bytes = 0;
  b.after_data.resize(blocks * type.block_bytes);
  std::mt19937_64 random(type.id);
  for (size_t i = 0; i + 8 <= b.after_data.size(); i += 8) {
    const uint64_t bits = random() & 0x3F3F3F3F3F3F3F3F;
    std::memcpy(&b.after_data[i], &bits, sizeof bits);
  }
  return b.Build();
}

void Scan(Bytes map, unsigned threads) {
  Diagnostics found(1);
  const Model model(Parse(map, Limits(), &found));
  ScanOptions options;
  options.jobs = threads;
  if (!ScanTensors(model.file, model.placement(), options)) std::abort();
}

void Measure(const TensorTypeInfo& type) {
  const std::string bytes = FileOf(type);
  const PageCachedFile file(bytes);
  std::printf("%-8s", type.name);
  for (const unsigned threads : {1u, 2u}) {
    // Alternates the two and takes the best of each, because the machine may
    // have other work.
    double plain = 1e9, scan = 1e9;
    for (int i = 0; i < kRepeats; ++i) {
      plain = std::min(plain, Time(file, [&](Bytes map) { PlainRead(map, threads); }));
      scan = std::min(scan, Time(file, [&](Bytes map) { Scan(map, threads); }));
    }
    std::printf("  %6.1f %6.1f %6.2f", bytes.size() / plain / 1e9, bytes.size() / scan / 1e9,
                plain / scan);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  std::printf(
      "GB/s          one thread            two threads\n"
      "type        read   scan  ratio    read   scan  ratio\n");
  for (const gguf::TensorTypeInfo& type : gguf::AllTensorTypes()) {
    if (type.removed != nullptr) continue;
    if (argc > 1 && std::string(argv[1]) != type.name) continue;
    gguf::Measure(type);
  }
  return 0;
}
