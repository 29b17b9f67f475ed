// Measures how fast a file is compared with its base.  Run it with
// `./dev bench compare`.
//
// For each type, against a base of F32, F16, BF16 or Q8_0 with nearly the same
// weights, with one thread and with two, in billions of weights per second of
// the threads' processor time: a read of both files into a buffer; a sum of all
// bytes of mappings; the dequantization of both, in the better of two window
// sizes; and the comparison.  Then the ratios of the comparison to the slower
// of read and dequantization, and of mapping and dequantization.  The files are
// in the page cache; for a sum and a comparison, they are mapped anew.
//
// SPDX-License-Identifier: Apache-2.0

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "bench/page_cached_file.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/model/model.h"
#include "kernels/dequantize.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint64_t kWeights = uint64_t{64} << 20;
constexpr uint64_t kPiece = 1 << 20;
constexpr uint64_t kWindow = 4096;
constexpr int kRepeats = 9;

// Returns the bits of a number, mostly random, of about 2^-8: processors are
// slow where squares are subnormal.
uint64_t NumberOf(ScaleFormat format, uint64_t random) {
  switch (format) {
    case ScaleFormat::kF16:
      return (random & 0x83FF) | 0x1C00;
    case ScaleFormat::kBf16:
      return (random & 0x807F) | 0x3B80;
    case ScaleFormat::kF32:
      return (random & 0x807FFFFF) | 0x3B800000;
    case ScaleFormat::kE8m0:
      return (random & 3) | 0x7C;
    default:
      return random & 0x3F3F3F3F3F3F3F3F;
  }
}

uint64_t SizeOf(ScaleFormat format) {
  switch (format) {
    case ScaleFormat::kF16:
    case ScaleFormat::kBf16:
      return 2;
    case ScaleFormat::kF32:
      return 4;
    default:
      return 1;
  }
}

// A file with one tensor.
std::string FileOf(const TensorTypeInfo& type, const std::string& blocks) {
  GgufBuilder b;
  b.Tensor("w", {4096, kWeights / 4096}, type.id);
  b.data_bytes = 0;
  b.after_data = blocks;
  return b.Build();
}

// Random blocks with finite numbers.
std::string RandomBlocks(const TensorTypeInfo& type) {
  std::string blocks(kWeights / type.block_elements * type.block_bytes, '\0');
  std::mt19937_64 random(type.id);
  for (size_t i = 0; i + 8 <= blocks.size(); i += 8) {
    const uint64_t bits = random() & 0x3F3F3F3F3F3F3F3F;
    std::memcpy(&blocks[i], &bits, sizeof bits);
  }
  const ScaleLayout& scales = type.scales;
  const uint64_t size = SizeOf(scales.format);
  for (size_t at = 0; at < blocks.size(); at += type.block_bytes) {
    for (uint64_t i = 0; i < scales.count; ++i) {
      const uint64_t bits = NumberOf(scales.format, random());
      std::memcpy(&blocks[at + scales.at + i * size], &bits, size);
    }
  }
  return blocks;
}

uint32_t BitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

// Both round to the nearest number: truncation would shrink the weights.
uint16_t AsBf16(float weight) { return static_cast<uint16_t>((BitsOf(weight) + 0x8000) >> 16); }

// The weights are less than 2^15.
uint16_t AsF16(float weight) {
  const uint32_t bits = BitsOf(weight) + 0x1000, exponent = bits >> 23 & 0xFF;
  const uint32_t sign = bits >> 16 & 0x8000;
  if (exponent < 113) {  // A multiple of the smallest number.
    return static_cast<uint16_t>(
        sign | static_cast<uint32_t>(std::lround(std::ldexp(std::abs(weight), 24))));
  }
  return static_cast<uint16_t>(sign | ((exponent - 112) << 10 & 0x7C00) | (bits >> 13 & 0x03FF));
}

template <class T>
void Append(T number, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The base of a file: its own weights, so that they pass, as most do.
std::string BaseOf(const TensorTypeInfo& base, const TensorTypeInfo& type,
                   const std::string& blocks) {
  const Dequantizer dequantize(static_cast<TensorType>(type.id), Endian::kLittle);
  const uint64_t size = kWindow / type.block_elements * type.block_bytes;
  std::array<float, kWindow> weights;
  std::string bytes;
  for (size_t at = 0; at < blocks.size(); at += size) {
    if (dequantize(AsBytes(blocks).subspan(at, size), absl::MakeSpan(weights))) {
      std::abort();
    }
    switch (static_cast<TensorType>(base.id)) {
      case TensorType::kF32:
        for (const float weight : weights) Append(weight, &bytes);
        break;
      case TensorType::kF16:
        for (const float weight : weights) Append(AsF16(weight), &bytes);
        break;
      case TensorType::kBF16:
        for (const float weight : weights) {
          Append(AsBf16(weight), &bytes);
        }
        break;
      default:  // Q8_0
        for (size_t i = 0; i < weights.size(); i += 32) {
          float most = 0;
          for (size_t k = 0; k < 32; ++k) {
            most = std::max(most, std::abs(weights[i + k]));
          }
          Append(AsF16(most / 127), &bytes);
          for (size_t k = 0; k < 32; ++k) {
            const float code = most > 0 ? weights[i + k] / most * 127 : 0;
            Append(static_cast<int8_t>(std::lround(code)), &bytes);
          }
        }
    }
  }
  return bytes;
}

// Calls each(begin, end) with pieces of the weights, in several threads.
void InThreads(unsigned threads, const std::function<void(uint64_t, uint64_t)>& each) {
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    for (uint64_t i = next++; i < kWeights / kPiece; i = next++) {
      each(i * kPiece, (i + 1) * kPiece);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

Range PartOf(const Model& model, uint64_t begin, uint64_t end) {
  const TensorInfo& tensor = model.file.tensors[0];
  const TensorTypeInfo& type = *tensor.type_info();
  const uint64_t data = DataRange(model.file, tensor).begin;
  const auto bytes = [&](uint64_t weights) {
    return weights / type.block_elements * type.block_bytes;
  };
  return {data + bytes(begin), data + bytes(end)};
}

Bytes Part(const Model& model, uint64_t begin, uint64_t end) {
  return model.file.At(PartOf(model, begin, end));
}

volatile uint64_t sink = 0;

struct alignas(64) WeightBuffer {
  std::array<float, kWindow> weights;
};

void DequantizePart(const Model& model, uint64_t begin, uint64_t end, uint64_t window,
                    WeightBuffer* buffer) {
  const auto type = static_cast<TensorType>(model.file.tensors[0].type_info()->id);
  const Dequantizer dequantize(type, Endian::kLittle);
  for (uint64_t at = begin; at < end; at += window) {
    if (dequantize(Part(model, at, at + window), absl::MakeSpan(buffer->weights.data(), window))) {
      std::abort();
    }
  }
}

// Returns the processor time of all threads, which other work on the machine
// hardly disturbs.
double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// A file in a fresh mapping.
struct Mapped {
  explicit Mapped(const PageCachedFile& file)
      : map(file), model(Parse(map.bytes(), Limits(), &found)) {}

  const Mapping map;
  Diagnostics found{1};
  const Model model;
};

void Measure(const TensorTypeInfo& base_type, const TensorTypeInfo& type) {
  const std::string blocks = RandomBlocks(type);
  const PageCachedFile base_file(FileOf(base_type, BaseOf(base_type, type, blocks)));
  const PageCachedFile file(FileOf(type, blocks));
  // The dequantizers' own throughput: of mappings that are in the tables.
  const Mapped read_base(base_file), read_file(file);
  std::printf("%-5s %-8s", base_type.name, type.name);
  for (const unsigned threads : {1u, 2u}) {
    const auto read = [&](const Model&, const Model&) {
      InThreads(threads, [&](uint64_t begin, uint64_t end) {
        std::vector<uint8_t> buffer;
        for (const auto& [from, mapped] :
             {std::pair(&base_file, &read_base), std::pair(&file, &read_file)}) {
          const Range where = PartOf(mapped->model, begin, end);
          buffer.resize(where.size());
          from->Read(where.begin, buffer.data(), buffer.size());
        }
      });
    };
    const auto load = [&](const Model& base, const Model& model) {
      InThreads(threads, [&](uint64_t begin, uint64_t end) {
        sink = SumOf(Part(base, begin, end)) + SumOf(Part(model, begin, end));
      });
    };
    const auto dequantize = [&](uint64_t window) {
      InThreads(threads, [&](uint64_t begin, uint64_t end) {
        WeightBuffer weights;
        DequantizePart(read_base.model, begin, end, window, &weights);
        DequantizePart(read_file.model, begin, end, window, &weights);
      });
    };
    const auto compare = [&](const Model& base, const Model& model) {
      const Origin origin(base);
      CompareOptions options;
      options.jobs = threads;
      if (!CompareTensors(model.file, model.placement(), origin, options)) {
        std::abort();
      }
    };
    const auto seconds = [&](const auto& work) {
      const Mapped fresh_base(base_file), fresh_file(file);
      const double begin = CpuSeconds();
      work(fresh_base.model, fresh_file.model);
      return (CpuSeconds() - begin) / threads;
    };
    // Alternates them and takes the best of each.
    double reading = 1e9, loading = 1e9, dequantizing = 1e9, comparing = 1e9;
    for (int i = 0; i < kRepeats; ++i) {
      reading = std::min(reading, seconds(read));
      loading = std::min(loading, seconds(load));
      for (const uint64_t window : {kWindow / 4, kWindow}) {
        const double some = seconds([&](const Model&, const Model&) { dequantize(window); });
        dequantizing = std::min(dequantizing, some);
      }
      comparing = std::min(comparing, seconds(compare));
    }
    const double billions = static_cast<double>(kWeights) / 1e9;
    std::printf("  %5.2f %5.2f %5.2f %5.2f %5.2f %5.2f", billions / reading, billions / loading,
                billions / dequantizing, billions / comparing,
                std::max(reading, dequantizing) / comparing,
                std::max(loading, dequantizing) / comparing);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  std::printf(
      "Gweights/s      one thread                           two threads\n"
      "base  type       read   map  deq. comp. /read  /map   read   map  deq. comp. /read  /map\n");
  for (const gguf::TensorTypeInfo& base : gguf::AllTensorTypes()) {
    const std::string base_name = base.name;
    if (base_name != "F32" && base_name != "F16" && base_name != "BF16" && base_name != "Q8_0") {
      continue;
    }
    for (const gguf::TensorTypeInfo& type : gguf::AllTensorTypes()) {
      const std::string name = type.name;
      const bool is_inner = name == "Q8_1" || name == "Q8_K";
      if (type.removed != nullptr || !(type.quantized || type.id <= 1) || is_inner ||
          (argc > 1 && name != argv[1]) || (argc > 2 && base_name != argv[2])) {
        continue;
      }
      gguf::Measure(base, type);
    }
  }
  return 0;
}
