// Checks of the place of tensor data, as the format and its readers require it.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conformance/base/bytes.h"
#include "conformance/model/joined_files.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

Reason OnlyWithDataEnd(const Model& model) {
  return model.placement().data_end
             ? Reason()
             : "a tensor is misplaced or of unknown size, so the end of the data is unknown";
}

// Notes that tensors of unknown size were skipped.
void SayIfSizesAreUnknown(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.unusual_tensors()) {
    if (tensor.bytes) continue;
    return find.CannotCheck("a tensor's type or shape is wrong, so its size is unknown");
  }
}

void TensorDataInFile(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  SayIfSizesAreUnknown(model, find);
  const std::vector<Place>& places = model.placement().places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == Place::kGood) continue;
    const TensorInfo& tensor = model.file.tensors[i];
    if (!tensor.bytes || IsInFile(model.file, tensor)) continue;
    find(tensor.at_offset(),
         "is {offset}: {size byte|bytes} of data at {data_begin} + {offset} extend past the end of "
         "the "
         "file ({file_size} bytes)",
         {{"offset", tensor.offset.value},
          {"size", *tensor.bytes},
          {"type", Trusted{tensor.TypeName()}},
          {"data_begin", model.file.data_begin},
          {"file_size", model.file.size}});
  }
}

void TensorDataContiguous(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  SayIfSizesAreUnknown(model, find);
  const Placement& placement = model.placement();
  std::optional<uint64_t> expected = 0;  // Nothing after an unknown size.
  for (const TensorInfo& tensor : model.file.tensors) {
    const auto size = tensor.bytes;
    const uint64_t offset = tensor.offset.value;
    // Other misplacements have rules of their own and do not shift the tensors
    // that follow.
    uint64_t begin = expected.value_or(offset);
    if (placement.places[tensor.index] == Place::kGood && offset != begin) {
      find(tensor.at_offset(), "is {offset}, but the tensors before it end at {expected}",
           {{"offset", offset}, {"expected", begin}});
      begin = offset;
    }
    const auto end = size ? CheckedAdd(begin, *size) : std::nullopt;
    expected = end ? CheckedAlignUp(*end, model.file.alignment) : std::nullopt;
  }
}

// The number of bytes that are not zero, and the place of the first.
struct Nonzero {
  uint64_t count = 0;
  uint64_t first = 0;
};

// Reads eight bytes at a time, because nearly all padding is zero.
Nonzero CountNonzero(Bytes bytes) {
  Nonzero found;
  const auto look_at = [&](uint64_t i) {
    if (bytes[i] != 0 && found.count++ == 0) found.first = i;
  };
  uint64_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) {
    if (LoadUnsigned<uint64_t>(bytes.data() + at, Endian::kLittle) == 0) {
      continue;
    }
    for (uint64_t i = at; i < at + 8; ++i) look_at(i);
  }
  for (; at < bytes.size(); ++at) look_at(at);
  return found;
}

// Reports the first byte of the file's [begin, end) that is not zero.
void FindNonzero(const File& file, uint64_t begin, uint64_t end, const Subject& subject,
                 Finder& find) {
  std::string buffer;
  const Nonzero nonzero = CountNonzero(file.Read({begin, end}, &buffer));
  if (nonzero.count == 0) return;
  const uint64_t at = begin + nonzero.first;
  find({at, at + 1}, subject, "has {count byte|bytes} other than zero", {{"count", nonzero.count}});
}

Reason OnlyWithReadablePadding(const Model& model) {
  return model.file.alignment <= kMostPlausibleAlignment
             ? Reason()
             : "the alignment is too large for padding to be read";
}

void PaddingZero(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  SayIfSizesAreUnknown(model, find);
  FindNonzero(model.file, model.file.infos_end, model.file.data_begin,
              {"file", false, 0, {}, "padding"}, find);
  // Reads every byte once, wherever the tensors are.
  const Placement& placement = model.placement();
  uint64_t scanned = model.file.data_begin;
  for (size_t i = 0; i < placement.by_begin.size(); ++i) {
    const TensorInfo& tensor = model.file.tensors[placement.by_begin[i]];
    const Range data = DataRange(model.file, tensor);
    uint64_t end = *CheckedAlignUp(data.end - model.file.data_begin, model.file.alignment) +
                   model.file.data_begin;
    if (i + 1 < placement.by_begin.size()) {
      const TensorInfo& next = model.file.tensors[placement.by_begin[i + 1]];
      end = std::min(end, DataRange(model.file, next).begin);
    }
    const uint64_t begin = std::max(data.end, scanned);
    // The end of a misaligned tensor's padding is not defined.
    if (placement.places[tensor.index] != Place::kMisaligned) {
      FindNonzero(model.file, begin, end, tensor.subject().Of("padding"), find);
    }
    scanned = std::max({scanned, data.end, end});
  }
}

}  // namespace

constexpr RuleTable kLayoutRules = {
    {.id = "tensor-offset-aligned",
     .severities = Everywhere(kError),
     .summary = "A tensor's offset shall be a multiple of the alignment.",
     .why = "Readers that map the file would load misaligned values; llama.cpp refuses the file.",
     .repair = "Lay the data out again, with each tensor padded to the alignment.",
     .citation = "gguf.md, gguf_tensor_info_t: \"Must be a multiple of `ALIGNMENT`\".",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (tensor.offset.value % context.model.file.alignment == 0) {
               continue;
             }
             find(tensor.at_offset(), "is {offset}, not a multiple of {alignment}",
                  {{"offset", tensor.offset.value}, {"alignment", context.model.file.alignment}});
           }
         }},
    {.id = "tensor-data-in-file",
     .severities = Everywhere(kError),
     .summary = "A tensor's data shall lie inside the file.",
     .why = "The file is truncated, or an offset or a shape is wrong; readers without a bounds "
            "check read, and may expose, the memory after the file.",
     .repair = "Fetch the file again and compare its size; if the size is right, correct the "
               "tensor's offset or shape.",
     .citation = "gguf.md, gguf_file_t: \"Each tensor's data must be stored within this array\"; "
                 "CVE-2026-7482 describes a reader that did not check.",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .check = TensorDataInFile},
    {.id = "tensor-data-disjoint",
     .severities = Everywhere(kError),
     .summary = "The data of two tensors shall not overlap.",
     .why =
         "One of the two entries is wrong; a reader that writes to one tensor changes the other.",
     .repair = "Lay the data out again.",
     .citation = "gguf.md, gguf_file_t: there is \"space between tensors\"; ggml's gguf.cpp "
                 "refuses the file.",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           SayIfSizesAreUnknown(model, find);
           for (const Placement::Overlap& overlap : model.placement().overlaps) {
             const TensorInfo& tensor = model.file.tensors[overlap.tensor];
             const TensorInfo& other = model.file.tensors[overlap.other];
             find(tensor.at_offset(), "is {offset}, inside the data of {other} at {other_offset}",
                  {{"offset", tensor.offset.value},
                   {"other", other.name.value},
                   {"other_offset", other.offset.value}});
           }
         }},
    {.id = "tensor-data-contiguous",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError},
     .summary = "The data of the tensors should be contiguous: padded, in the order of the tensor "
                "table, from offset 0.",
     .why = "The specification allows gaps and any order, but llama.cpp refuses such a file; a gap "
            "can hide data.",
     .repair = "Lay the data out again in the order of the tensor table.",
     .citation = "Not in the specification; ggml's gguf.cpp has required contiguous data since "
                 "January 2025.",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .check = TensorDataContiguous},
    {.id = "padding-zero",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kNote, .safety = kWarning},
     .summary = "Padding shall be zero bytes.",
     .why = "Nonzero bytes are either leftovers from the writer's memory, or hidden data.",
     .repair = "Write zeros.",
     .citation = "gguf.md, file structure: \"the file is padded with `0x00` bytes\".",
     .scope = Scope::kContainer,
     .needs = Needs::kPadding,
     .requirements = {OnlyWithReadablePadding},
     .check = PaddingZero},
    {.id = "last-tensor-padded",
     .severities = {.upload = kNote, .spec = kNote, .llama_cpp = kWarning},
     .summary = "The data of the last tensor should also be padded to a multiple of the alignment.",
     .why = "llama.cpp maps such a file, but programs that load the data section as a whole find "
            "the section too short.",
     .repair = "Pad the file with zeros to the alignment.",
     .citation = "Not in the specification; gguf.md requires only padding between tensors; ggml "
                 "needs this padding when it loads the whole data section.",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .requirements = {OnlyWithDataEnd},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const Placement& placement = model.placement();
           const uint64_t end = *PaddedDataEnd(model);
           const uint64_t size = model.file.size;
           if (placement.by_begin.empty() || end <= size) return;
           const TensorInfo& last = model.file.tensors[placement.by_begin.back()];
           find({size, size}, last.subject().Of("padding"), "is {missing byte|bytes} short",
                {{"missing", end - size}});
         }},
    {.id = "no-trailing-data",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kNote, .safety = kWarning},
     .summary = "Nothing should follow the padding of the last tensor.",
     .why = "Readers ignore such bytes, which may be anything: a second model, or a payload.",
     .repair = "Truncate the file at the end of the data.",
     .citation = "gguf.md: gguf_file_t ends with the tensor data.",
     .implied_by = {"shards-not-joined", "file-holds-no-program", "header-once"},
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .requirements = {OnlyWithDataEnd},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const uint64_t end = *PaddedDataEnd(model);
           const uint64_t size = model.file.size;
           if (size <= end) return;
           std::string buffer;
           const bool is_gguf =
               absl::StartsWith(AsText(model.file.Read({end, end + 4}, &buffer)), "GGUF");
           find({end, size}, {"file"},
                is_gguf ? "has {count byte|bytes} after its data, which begin a second GGUF file"
                        : "has {count byte|bytes} after its data",
                {{"count", size - end}});
         }},
};

}  // namespace gguf
