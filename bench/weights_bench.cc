// Measures how fast weights are scanned.  Run it with `./dev bench weights`.
//
// Compares every type with a plain read of the same mapping of a page-cached
// file, with one thread and with two: bytes per second, and the ratio to the
// read.
//
// SPDX-License-Identifier: Apache-2.0

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "conformance/model/model.h"
#include "conformance/model/tensor_scan.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint64_t kDataBytes = uint64_t{512} << 20;
constexpr int kRepeats = 15;

// A temporary file, mapped again for each measurement.
class MappedFile {
 public:
  explicit MappedFile(const std::string& bytes) : size_(bytes.size()) {
    file_ = std::tmpfile();
    if (file_ == nullptr ||
        std::fwrite(bytes.data(), 1, size_, file_) != size_ ||
        std::fflush(file_) != 0) {
      std::perror("weights_bench: temporary file");
      std::exit(1);
    }
  }
  ~MappedFile() { std::fclose(file_); }

  // Returns the seconds that `read` takes with a fresh mapping.
  double Time(const std::function<void(Bytes)>& read) const {
    void* map = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fileno(file_), 0);
    const auto begin = std::chrono::steady_clock::now();
    read(Bytes(static_cast<const uint8_t*>(map), size_));
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    munmap(map, size_);
    return spent.count();
  }

 private:
  std::FILE* file_;
  uint64_t size_;
};

uint64_t Sum(Bytes bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    sum += LoadUnsigned<uint64_t>(bytes.data() + i, Endian::kLittle);
  }
  return sum;
}

void PlainRead(Bytes bytes, unsigned threads) {
  volatile uint64_t sink = 0;
  std::vector<std::thread> others;
  const size_t part = bytes.size() / threads;
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&, i] { sink = Sum(bytes.subspan(i * part, part)); });
  }
  sink = Sum(bytes.subspan(0, part));
  for (std::thread& other : others) other.join();
}

// Makes one tensor of about kDataBytes, of random blocks with finite numbers.
std::string FileOf(const TensorTypeInfo& type) {
  const uint64_t blocks = kDataBytes / type.block_bytes;
  GgufBuilder b;
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
  const MappedFile file(bytes);
  std::printf("%-8s", type.name);
  for (const unsigned threads : {1u, 2u}) {
    // Alternates the two and takes the best of each, because the machine may
    // have other work.
    double plain = 1e9, scan = 1e9;
    for (int i = 0; i < kRepeats; ++i) {
      plain = std::min(plain,
                       file.Time([&](Bytes map) { PlainRead(map, threads); }));
      scan = std::min(scan, file.Time([&](Bytes map) { Scan(map, threads); }));
    }
    std::printf("  %6.1f %6.1f %6.2f", bytes.size() / plain / 1e9,
                bytes.size() / scan / 1e9, plain / scan);
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
