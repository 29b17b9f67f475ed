// Checks of the values of the weights.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "conformance/rules/rule_tables.h"
#include "kernels/weight_scan.h"
#include "parser/foreign_type.h"

namespace gguf {
namespace {

// Calls `report` with each scanned tensor and its scan, and `is_other` with each other one, which
// returns whether it checks that tensor.
template <class Report, class IsOther>
void ForEachScan(const CheckContext& context, Finder& find, Report report, IsOther is_other) {
  uint64_t skipped = 0;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const TensorScan& scan = context.scans[tensor.index];
    if (scan.scanned) {
      report(tensor, scan);
    } else if (!is_other(tensor)) {
      ++skipped;
    }
  }
  if (skipped > 0) {
    find.CannotCheck("a tensor is misplaced or has no supported type; its data was not read");
  }
}

template <class Report>
void ForEachScan(const CheckContext& context, Finder& find, Report report) {
  ForEachScan(context, find, report, [](const TensorInfo&) { return false; });
}

// Returns the bytes of one block of a tensor, from the start of the file.
Range BlockRange(const Model& model, const TensorInfo& tensor, uint64_t block) {
  const uint64_t size = tensor.type_info()->block_bytes;
  const uint64_t begin = DataRange(model.file, tensor).begin + block * size;
  return {begin, begin + size};
}

bool Is(const TensorInfo& tensor, TensorType type) {
  return tensor.type.value == static_cast<uint32_t>(type);
}

// The scales of a tensor of another program's type that are NaN or infinite.
struct BadScales {
  uint64_t count = 0;
  Range first;  // From the start of the file.
};

BadScales CountBadScales(const File& file, const TensorInfo& tensor, const ScaleFields& scales) {
  constexpr uint64_t kPiece = 64 << 10;
  constexpr uint64_t kWidth[] = {0, 2, 2, 4};  // By ScaleFormat, up to kF32.
  const uint64_t width = kWidth[static_cast<size_t>(scales.format)], size = scales.count * width;
  const Range data = DataRange(file, tensor);
  uint64_t unit = data.size();
  if (scales.blocks > 0) unit = scales.blocks * tensor.blocks().bytes;
  if (scales.rows > 0) {
    const Blocks blocks = tensor.blocks();
    unit = scales.rows * (blocks.row_bytes + tensor.dims[0] / blocks.elements * blocks.bytes);
  }
  const uint64_t at = scales.at < 0 ? data.size() + scales.at : scales.at;
  Assert(at + size <= unit, "a scale is outside its unit");
  const uint64_t units = std::max<uint64_t>(kPiece / unit, 1);
  BadScales bad;
  std::string buffer;
  // The units that begin at `begin`; a last one that is not whole has no scales.
  for (uint64_t begin = data.begin; data.end - begin >= unit;) {
    PollDeadline();
    const uint64_t some = std::min(units, (data.end - begin) / unit);
    const Range range = {begin + at, begin + (some - 1) * unit + at + size};
    const Bytes bytes = file.Read(range, &buffer);
    for (uint64_t i = 0; i < some * scales.count; ++i) {
      const uint64_t offset = i / scales.count * unit + i % scales.count * width;
      if (!IsBadNumber(scales.format, bytes.data() + offset, file.encoding.endian)) continue;
      if (bad.count++ == 0) bad.first = {range.begin + offset, range.begin + offset + width};
    }
    begin += some * unit;
  }
  return bad;
}

// Reports the tensors with bad scales that are of type NVFP4, or of another.
template <bool nvfp4>
void FindBadScales(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const File& file = model.file;
  const auto report = [&](const TensorInfo& tensor, const TensorScan& scan) {
    if (scan.faults.bad_scales == 0) return;
    if (Is(tensor, TensorType::kNVFP4) != nvfp4) return;
    const uint64_t block = scan.faults.first_bad_scale;
    const Range whole = BlockRange(model, tensor, block);
    std::string buffer;
    const Range scale =
        BadScale(static_cast<TensorType>(tensor.type.value), model.file.Read(whole, &buffer).data(),
                 model.file.encoding.endian);
    find({whole.begin + scale.begin, whole.begin + scale.end}, tensor.subject().Of("data"),
         "has {count block whose scale is|blocks whose scales are} NaN or infinite, which spreads "
         "to "
         "every result; the first is block {block}, of element {element}",
         {{"count", scan.faults.bad_scales},
          {"block", block},
          {"element", block * tensor.type_info()->block_elements}});
  };
  const auto report_foreign = [&](const TensorInfo& tensor) {
    const SizedType* const type = tensor.sized;
    if (nvfp4 || type == nullptr || model.placement().places[tensor.index] != Place::kGood) {
      return false;
    }
    const ScaleFields scales = ScalesOf(*type);
    if (scales.format == ScaleFormat::kNone) return false;
    const BadScales bad = CountBadScales(file, tensor, scales);
    if (bad.count == 0) return true;
    find(
        bad.first, tensor.subject().Of("data"),
        "has {count scale that is|scales that are} NaN or infinite, which spreads to every result; "
        "its type is {type} of {program}",
        {{"count", bad.count}, {"type", type->name}, {"program", type->program}});
    return true;
  };
  ForEachScan(context, find, report, report_foreign);
}

}  // namespace

constexpr RuleTable kWeightRules = {
    {.id = "weights-scale-finite",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The scales and minima of a quantized tensor's blocks shall be finite.",
     .why = "One NaN or infinite scale makes a whole block, and then every result, NaN or "
            "infinite; some GPU kernels fault on it.",
     .repair = "Quantize the model again; the source may have overflowed in f16.",
     .citation = "Not in the specification; llama.cpp rejects such scales with --check-tensors.",
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check = FindBadScales<false>},
    {.id = "weights-nvfp4-scale-number",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kNote, .safety = kError},
     .summary = "A scale of NVFP4 shall not be NaN (0x7F or 0xFF).",
     .why = "Processors that compute with NVFP4 read such a scale as NaN, which makes every result "
            "NaN; llama.cpp reads it as 0 or 240.",
     .repair = "Quantize the model again; the source may have overflowed.",
     .citation = "Not in the specification; the E4M3 encoding defines 0x7F and 0xFF as NaN. "
                 "llama.cpp does not check the scales of NVFP4.",
     .since = "0.2.0",
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check = FindBadScales<true>},
    {.id = "weights-type-checked",
     .severities = {.llama_cpp = kError},
     .summary = "The data of a tensor shall be of a type that llama.cpp can check.",
     .why = "llama.cpp rejects any tensor of type Q8_1 with --check-tensors.",
     .repair = "Use a different type: Q8_1 is for intermediate results.",
     .citation = "Not in the specification; ggml_validate_row_data has no case for Q8_1.",
     .since = "0.2.0",
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           ForEachScan(context, find, [&](const TensorInfo& tensor, const TensorScan&) {
             if (!Is(tensor, TensorType::kQ8_1)) return;
             find(tensor.type.where, tensor.subject().Of("type"),
                  "is {type}, which llama.cpp rejects as a type of weights",
                  {{"type", Trusted{tensor.type_info()->name}}});
           });
         }},
    {.id = "weights-finite",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "Every weight shall be finite; an F64 shall also be finite as an F32.",
     .why = "NaN and infinity spread to every result; readers convert F64 to F32.",
     .repair = "Compare the file's SHA-256 with the publisher's, and fetch the file again if they "
               "differ. Otherwise convert the model again: the source may have the number, or have "
               "overflowed in F16.",
     .citation =
         "Not in the specification; llama.cpp rejects most such weights with --check-tensors.",
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           ForEachScan(context, find, [&](const TensorInfo& tensor, const TensorScan& scan) {
             if (scan.faults.bad_weights == 0) return;
             const uint64_t element = scan.faults.first_bad_weight;
             const uint64_t block = element / tensor.type_info()->block_elements;
             find(BlockRange(context.model, tensor, block), tensor.subject().Of("data"),
                  "has {count weight that is|weights that are} NaN or infinite, which spreads to "
                  "every result; the first is element {element}",
                  {{"count", scan.faults.bad_weights}, {"element", element}});
           });
         }},
    {.id = "weights-index-in-range",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "The values of a tensor of indexes shall be within the range that they index.",
     .why = "Readers use the values unchecked and read outside their buffers.",
     .repair = "Convert the model again.",
     .citation = "Not in the specification; DeepSeek-V4's routing table, ffn_gate_tid2eid, holds "
                 "indexes of experts.",
     .unbreakable = "it requires an architecture, one of its keys and one of its tensors",
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           ForEachScan(context, find, [&](const TensorInfo& tensor, const TensorScan& scan) {
             if (scan.bad_indexes == 0) return;
             const uint64_t element = scan.first_bad_index;
             find(BlockRange(context.model, tensor, element), tensor.subject().Of("data"),
                  "has {count value|values} outside the range from 0 to {bound} ({bound} "
                  "excluded); the "
                  "first is element {element}",
                  {{"count", scan.bad_indexes},
                   {"bound", IndexBound(context.model.file, tensor).value_or(0)},
                   {"element", element}});
           });
         }},
    {.id = "weights-not-constant",
     .severities = Everywhere(kNote),
     .summary = "The weights of a tensor should not all be the same.",
     .why = "A tensor of zeros often results from a conversion that skipped it or a download that "
            "never filled it.",
     .repair = "Compare the tensor with that of the model from which the file was converted.",
     .citation = "Not in the specification; some real tensors are constant.",
     .implied_by = {"weights-not-zero"},
     .scope = Scope::kContainer,
     .needs = Needs::kWeights,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           ForEachScan(context, find, [&](const TensorInfo& tensor, const TensorScan& scan) {
             const uint64_t block_elements = tensor.type_info()->block_elements;
             const uint64_t elements =
                 *tensor.bytes / tensor.type_info()->block_bytes * block_elements;
             if (scan.varies || elements < 2) return;
             find(DataRange(context.model.file, tensor), tensor.subject().Of("data"),
                  "has {elements} weights, all of the same value", {{"elements", elements}});
           });
         }},
};

}  // namespace gguf
