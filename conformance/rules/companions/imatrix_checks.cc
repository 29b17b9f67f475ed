// Checks of the tensors of an importance matrix: for each tensor of the model,
// the sums of squared activations and the number of summands.
//
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/judged.h"
#include "parser/core/name_hash.h"

namespace gguf {
namespace {

// The entry of one tensor of the model.  `in_sum2` and `in_sum` are [n, m],
// where n is the tensor's row length and m its number of matrices; `counts` is
// [1, m].  Not all are null.
struct Entry {
  const TensorInfo* in_sum2 = nullptr;
  const TensorInfo* counts = nullptr;
  const TensorInfo* in_sum = nullptr;
};

struct Entries {
  std::vector<Entry> entries;  // In the order of the file.
  std::vector<const TensorInfo*> others;
};

constexpr std::pair<const char*, const TensorInfo * Entry::*> kParts[] = {
    {".in_sum2", &Entry::in_sum2},
    {".counts", &Entry::counts},
    {".in_sum", &Entry::in_sum}};

Entries EntriesOf(const Model& model) {
  Entries found;
  NameMap<size_t> places;
  for (const TensorInfo& tensor : model.file.tensors) {
    absl::string_view base = tensor.name.value;
    const TensorInfo* Entry::*part = nullptr;
    for (const auto& [suffix, member] : kParts) {
      if (!absl::ConsumeSuffix(&base, suffix)) continue;
      part = member;
      break;
    }
    if (part == nullptr) {
      found.others.push_back(&tensor);
      continue;
    }
    const auto [place, is_new] = places.emplace(base, found.entries.size());
    if (is_new) found.entries.emplace_back();
    const TensorInfo*& member = found.entries[place->second].*part;
    if (member == nullptr) member = &tensor;
  }
  return found;
}

constexpr Rule kTensorNamed = {
    "imatrix-tensor-named",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "Every tensor of an importance matrix should have the name of a tensor of "
    "the model, followed by .in_sum2, .counts or .in_sum.",
    "llama.cpp ignores any other tensor.",
    "Remove the tensor.",
    "Not in the specification; llama.cpp's imatrix program writes these "
    "names."};

void TensorNamed(const Model& model, Finder& find) {
  for (const TensorInfo* tensor : EntriesOf(model).others) {
    find(tensor->name.where, tensor->subject(),
         "ends with none of .in_sum2, .counts and .in_sum", {});
  }
}

constexpr Rule kTensorsPaired = {
    "imatrix-tensors-paired",
    Severities().Upload(kError).LlamaCpp(kError),
    "An importance matrix shall have both .in_sum2 and .counts for each tensor "
    "that it covers.",
    "Each sum is divided by its count; llama.cpp rejects the file.",
    "Collect the importance matrix again.",
    "Not in the specification; llama.cpp reports \"mismatched sums and "
    "counts\"."};

void TensorsPaired(const Model& model, Finder& find) {
  if (model.file.progress < Progress::kTensors)
    return;  // The other one may follow.
  for (const Entry& entry : EntriesOf(model).entries) {
    for (const auto& [suffix, member] : {kParts[0], kParts[1]}) {
      if (entry.*member != nullptr) continue;
      const TensorInfo& one = entry.in_sum2  ? *entry.in_sum2
                              : entry.counts ? *entry.counts
                                             : *entry.in_sum;
      find(one.name.where, one.subject(), "has no matching {other} tensor",
           {{"other", Word{suffix}}});
    }
  }
}

constexpr Rule kTypeF32 = {
    "imatrix-type-f32",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The sums and counts of an importance matrix shall be F32.",
    "llama.cpp reads sums and counts as floats whatever their type; if the "
    "type is smaller, it reads past the end of the data.",
    "Collect the importance matrix again, and do not quantize it.",
    "Not in the specification; llama.cpp's imatrix program writes this type."};

void TypeF32(const Model& model, Finder& find) {
  for (const Entry& entry : EntriesOf(model).entries) {
    for (const auto& [suffix, member] : kParts) {
      if (entry.*member != nullptr) ExpectF32(*(entry.*member), find);
    }
  }
}

constexpr Rule kCountsMatch = {
    "imatrix-counts-match",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "In an importance matrix, .counts shall have one number for each row of "
    ".in_sum2, and .in_sum shall have the shape of .in_sum2.",
    "llama.cpp reads a count for each row, even past the end of the counts.",
    "Collect the importance matrix again.",
    "Not in the specification; llama.cpp's imatrix program writes these "
    "shapes."};

void CountsMatch(const Model& model, Finder& find) {
  for (const Entry& entry : EntriesOf(model).entries) {
    if (entry.in_sum2 == nullptr) continue;
    const uint64_t length = DimOf(*entry.in_sum2, 0);
    const uint64_t rows = DimOf(*entry.in_sum2, 1);
    const auto expect = [&](const TensorInfo* tensor, uint64_t n) {
      if (tensor == nullptr ||
          (DimOf(*tensor, 0) == n && DimOf(*tensor, 1) == rows)) {
        return;
      }
      find(tensor->at_dims(),
           "are [{n}, {m}], but {other} of [{length}, {rows}] requires "
           "[{right}, {rows}]",
           {{"n", DimOf(*tensor, 0)},
            {"m", DimOf(*tensor, 1)},
            {"right", n},
            {"rows", rows},
            {"other", entry.in_sum2->name.value},
            {"length", length}});
    };
    expect(entry.counts, 1);
    expect(entry.in_sum, length);
  }
}

constexpr Requirement kOnlyMatrices = OnlyKind<GgufKind::kImportanceMatrix>;

constexpr Check kChecks[] = {
    {&kTensorNamed, Needs::kTensors, TensorNamed, kOnlyMatrices},
    {&kTensorsPaired, Needs::kTensors, TensorsPaired, kOnlyMatrices},
    {&kTypeF32, Needs::kTensors, TypeF32, kOnlyMatrices},
    {&kCountsMatch, Needs::kTensors, CountsMatch, kOnlyMatrices},
};

}  // namespace

absl::Span<const Check> ImatrixChecks() { return kChecks; }

}  // namespace gguf
