// Tells runs of zeros that were never filled from rows of zeros.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/data_faults.h"

#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "kernels/byte_scan.h"

namespace gguf {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLargeHole = 1 << 20;
constexpr uint64_t kFewZeros = 16;
// So many bytes of a header do not occur in data by chance.
constexpr size_t kFewestBytes = 64;

uint64_t RowBytes(const TensorInfo& tensor) {
  const TensorTypeInfo* type = tensor.type_info();
  if (type == nullptr) return *tensor.bytes;
  return tensor.dims[0] / type->block_elements * type->block_bytes;
}

// The bytes at either end of a row that may be zero by chance.
uint64_t Tolerance(uint64_t row) { return std::min<uint64_t>(64, row / 16); }

bool IsInsideRow(uint64_t at, uint64_t row) {
  const uint64_t beyond = at % row;
  return std::min(beyond, row - beyond) > Tolerance(row);
}

enum class Verdict { kFine, kRagged, kUnfilled };

Verdict Judge(const File& file, const Placement& placement, Range run) {
  const uint64_t end = run.end / kPage * kPage;
  const uint64_t begin = (run.begin + kPage - 1) / kPage * kPage;
  if (begin >= end) return Verdict::kFine;
  const std::vector<uint32_t>& order = placement.by_begin;
  auto next = std::partition_point(order.begin(), order.end(), [&](uint32_t i) {
    return DataRange(file, file.tensors[i]).end <= run.begin;
  });
  uint64_t tensors = 0;
  bool begins_inside = false, ends_inside = false, has_whole_matrix = false;
  for (; next != order.end(); ++next) {
    const TensorInfo& tensor = file.tensors[*next];
    const Range data = DataRange(file, tensor);
    if (data.begin >= run.end) break;
    const Range part = {std::max(data.begin, run.begin), std::min(data.end, run.end)};
    const uint64_t row = RowBytes(tensor);
    // The first numbers of a tensor may begin with zeros, however short its rows are.
    if (row == 0 || part.size() <= std::max(Tolerance(row), kFewZeros)) continue;
    if (++tensors == 1) begins_inside = IsInsideRow(part.begin - data.begin, row);
    ends_inside = IsInsideRow(part.end - data.begin, row);
    has_whole_matrix |= part.size() == data.size() && data.size() > row;
  }
  if (tensors == 0) return Verdict::kFine;
  const bool is_large = end - begin >= kLargeHole;
  const bool is_at_end = run.end >= DataRange(file, file.tensors[order.back()]).end;
  // A small file with no data at all was made so, for tests.
  const bool is_at_begin = run.begin <= DataRange(file, file.tensors[order.front()]).begin;
  if (is_at_begin && is_at_end && !is_large) return Verdict::kFine;
  const bool inside = begins_inside || ends_inside;
  if (tensors > 1 && (inside || has_whole_matrix)) return Verdict::kUnfilled;
  if ((is_at_end || is_large) && inside) return Verdict::kUnfilled;
  if (is_at_end && is_large && has_whole_matrix) return Verdict::kUnfilled;
  return begins_inside && ends_inside ? Verdict::kRagged : Verdict::kFine;
}

// Returns the hole with the zeros around it, as far as a large one reaches.
Range WithZerosAround(const File& file, Range hole) {
  std::string buffer;
  const Range most = {hole.begin - std::min(kLargeHole, hole.begin),
                      std::min(file.size, hole.end + kLargeHole)};
  while (hole.begin > most.begin) {
    const uint64_t size = std::min(kPage, hole.begin - most.begin);
    const uint64_t zeros = CountTrailingZeros(file.Read({hole.begin - size, hole.begin}, &buffer));
    hole.begin -= zeros;
    if (zeros < size) break;
  }
  while (hole.end < most.end) {
    const uint64_t size = std::min(kPage, most.end - hole.end);
    const uint64_t zeros = CountLeadingZeros(file.Read({hole.end, hole.end + size}, &buffer));
    hole.end += zeros;
    if (zeros < size) break;
  }
  return hole;
}

// Searches the part that was read if the parser stopped, and the tables if they misplace tensors.
std::optional<uint64_t> FindSecondHeaderInTables(const File& file) {
  constexpr uint64_t kMostSearched = 64 << 20;
  const absl::string_view beginning = Beginning(file, kFewestBytes);
  if (beginning.empty()) return std::nullopt;
  const Bytes rest =
      file.bytes.subspan(1, file.stop ? kMostSearched : file.infos_end + beginning.size());
  const size_t at = TextFinder(beginning).Find(rest);
  if (at == rest.size()) return std::nullopt;
  return at + 1;
}

// Compares the tables, too: shards may have equal beginnings.
bool BeginsAgainAt(const File& file, uint64_t offset) {
  constexpr uint64_t kMostCompared = 1 << 20;
  const uint64_t size = std::min({file.infos_end, kMostCompared, uint64_t{file.bytes.size()}});
  if (Beginning(file, kFewestBytes).empty() || file.size - offset < size) return false;
  std::string buffer;
  const Bytes again = file.Read({offset, offset + size}, &buffer);
  return AsText(again) == AsText(file.bytes.subspan(0, size));
}

// A download that begins again after N bytes leaves a file that is N bytes too long.
std::optional<uint64_t> FindSecondHeaderAtExcess(const File& file, const Placement& placement) {
  if (!placement.data_end) return FindSecondHeaderInTables(file);
  const auto padded = CheckedAlignUp(*placement.data_end - file.data_begin, file.alignment);
  const auto padded_end = padded ? CheckedAdd(file.data_begin, *padded) : std::nullopt;
  for (const auto end : {padded_end, placement.data_end}) {
    if (!end || *end >= file.size) continue;
    const uint64_t excess = file.size - *end;
    if (BeginsAgainAt(file, excess)) return excess;
    if (BeginsAgainAt(file, *end)) return *end;
  }
  return std::nullopt;
}

}  // namespace

void EmptyPlaces::Add(const EmptyPlaces& other) {
  if (other.count == 0) return;
  if (count == 0 || other.first.begin < first.begin) first = other.first;
  count += other.count;
  bytes += other.bytes;
}

void DataFaults::Add(const DataFaults& other) {
  looked_for_empty |= other.looked_for_empty;
  unfilled.Add(other.unfilled);
  ragged.Add(other.ragged);
  AddSecondHeader(other.second_header);
}

void DataFaults::AddSecondHeader(std::optional<uint64_t> offset) {
  if (offset && (!second_header || *offset < *second_header)) second_header = offset;
}

void JudgeZeroRuns(const File& file, const Placement& placement, std::vector<Range> runs,
                   DataFaults* faults) {
  absl::c_sort(runs, [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (size_t i = 0; i < runs.size();) {
    Range run = runs[i++];
    while (i < runs.size() && runs[i].begin <= *CheckedAlignUp(run.end, file.alignment)) {
      run.end = std::max(run.end, runs[i++].end);
    }
    const Verdict verdict = Judge(file, placement, run);
    if (verdict == Verdict::kFine) continue;
    (verdict == Verdict::kRagged ? faults->ragged : faults->unfilled).Add({1, run.size(), run});
  }
}

DataFaults FaultsWithoutScan(const File& file, const Placement* placement) {
  DataFaults faults;
  if (placement == nullptr) {
    faults.second_header = FindSecondHeaderInTables(file);
    return faults;
  }
  faults.second_header = FindSecondHeaderAtExcess(file, *placement);
  if (file.holes == nullptr) return faults;
  faults.looked_for_empty = true;
  if (placement->by_begin.empty()) return faults;
  const uint64_t data_end = DataRange(file, file.tensors[placement->by_begin.back()]).end;
  std::vector<Range> runs;
  for (const Range& hole : *file.holes) {
    Range run = {std::max(hole.begin, file.data_begin), std::min(hole.end, file.size)};
    if (run.begin >= std::min(run.end, data_end)) continue;
    run = WithZerosAround(file, run);
    runs.push_back({std::max(run.begin, file.data_begin), std::min(run.end, data_end)});
  }
  JudgeZeroRuns(file, *placement, std::move(runs), &faults);
  return faults;
}

absl::string_view Beginning(const File& file, size_t most) {
  if (!file.kind.is_gguf || file.bytes.size() < kFewestBytes) return "";
  return AsText(file.bytes.subspan(0, most));
}

}  // namespace gguf
