// For any file, the scan of its weights terminates, gives the same result with
// two threads and small pieces as with one, and finds exactly the blocks in
// which the reference kernels produce weights that are not finite.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/model/tensor_data.h"
#include "fuzz/target.h"
#include "kernels/dequantize.h"
#include "kernels/registry.h"
#include "kernels/weight_scan.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

bool Same(const WeightFaults& a, const WeightFaults& b) {
  return a.bad_scales == b.bad_scales && a.first_bad_scale == b.first_bad_scale &&
         a.bad_weights == b.bad_weights && a.first_bad_weight == b.first_bad_weight;
}

// Sums of doubles may be rounded in a different order.
bool Same(const WeightStats& a, const WeightStats& b) {
  return a.count == b.count && a.nan == b.nan && a.infinite == b.infinite && a.zeros == b.zeros &&
         a.subnormals == b.subnormals && a.min == b.min && a.max == b.max;
}

bool Same(const TensorScan& a, const TensorScan& b) {
  return a.scanned == b.scanned && Same(a.faults, b.faults) && a.varies == b.varies &&
         a.bad_indexes == b.bad_indexes && a.first_bad_index == b.first_bad_index &&
         Same(a.stats, b.stats);
}

bool Same(const EmptyPlaces& a, const EmptyPlaces& b) {
  return a.count == b.count && a.bytes == b.bytes && a.first.begin == b.first.begin &&
         a.first.end == b.first.end;
}

bool Same(const DataFaults& a, const DataFaults& b) {
  return Same(a.unfilled, b.unfilled) && Same(a.ragged, b.ragged) &&
         a.second_header == b.second_header;
}

// Returns the number of weights of one block that are not finite, as produced
// by the reference kernel.
WeightFaults ReferenceFaults(const TensorTypeInfo& info, const uint8_t* stored, Endian endian) {
  const auto type = static_cast<TensorType>(info.id);
  std::vector<uint8_t> block(stored, stored + info.block_bytes);
  if (endian == Endian::kBig) SwapBlocks(type, stored, 1, block.data());
  std::vector<float> weights(info.block_elements);
  FindKernel(type, "reference")->dequantize(block.data(), 1, weights.data());
  WeightFaults faults;
  for (size_t i = weights.size(); i-- > 0;) {
    if (std::isfinite(weights[i])) continue;
    ++faults.bad_weights;
    faults.first_bad_weight = i;
  }
  return faults;
}

// Returns whether a bad scale may leave all weights finite: some scales are
// unused by ggml, or read as numbers.
bool MayHideBadScales(TensorType type) {
  return type == TensorType::kQ8_1 || type == TensorType::kMXFP4 || type == TensorType::kNVFP4;
}

// Computes the expected result of the scan of a tensor, block by block.
WeightFaults ExpectedFaults(const File& file, const TensorInfo& tensor) {
  const TensorTypeInfo& info = *tensor.type_info();
  const auto type = static_cast<TensorType>(info.id);
  const Endian endian = file.encoding.endian;
  const Range data = DataRange(file, tensor);
  WeightFaults all;
  for (uint64_t at = data.begin; at < data.end; at += info.block_bytes) {
    const Bytes block = file.bytes.subspan(at, info.block_bytes);
    const WeightFaults found = ScanWeights(type, block, endian);
    const WeightFaults expected = ReferenceFaults(info, block.data(), endian);
    if (found.bad_scales > 0) {
      Require(!expected.none() || MayHideBadScales(type));
    } else if (type != TensorType::kF64) {
      // A finite F64 may be infinite as a float.
      Require(Same(found, expected));
    }
    all.Add(found, (at - data.begin) / info.block_bytes, info.block_elements);
  }
  return all;
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const gguf::Limits limits;
  gguf::Diagnostics found(limits.findings_per_rule);
  const gguf::File file = gguf::Parse(gguf::Bytes(data, size), limits, &found);
  if (file.stop || !file.alignment_known) return 1;
  const gguf::Placement placement = gguf::PlaceTensors(file);
  gguf::ScanOptions options;
  options.stats = true;
  const auto scans = gguf::ScanTensors(file, placement, options);
  options.jobs = 2;
  options.piece_bytes = 64;
  const auto again = gguf::ScanTensors(file, placement, options);
  gguf::Require(scans->tensors.size() == file.tensors.size() &&
                again->tensors.size() == file.tensors.size());
  gguf::Require(gguf::Same(scans->faults, again->faults));
  for (const gguf::TensorInfo& tensor : file.tensors) {
    const gguf::TensorScan& scan = scans->tensors[tensor.index];
    gguf::Require(gguf::Same(scan, again->tensors[tensor.index]));
    if (!scan.scanned) continue;
    gguf::Require(gguf::Same(scan.faults, gguf::ExpectedFaults(file, tensor)));
  }
  return 0;
}
