// Computes what threads share, and looks for rows at a small angle to those of
// a tensor.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/origin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/types/span.h"
#include "conformance/base/limits.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

// The row of a tensor that is looked for.
constexpr uint64_t kRow = 1;
// The least cosine of a row and what was made of it; types of one bit have more
// than 0.7.  Of rows of 64 and more weights, unrelated ones do not reach it.
constexpr double kAlike = 0.7;
constexpr uint64_t kLeastColumns = 64;
constexpr uint64_t kMostWeights = uint64_t{1} << 23;

using Row = std::vector<float>;

// Returns a row of a tensor whose rows are whole blocks.
Row ReadRow(const File& file, const TensorInfo& tensor, uint64_t row) {
  const TensorTypeInfo& type = *tensor.type_info();
  Row weights(tensor.dims[0]);
  const uint64_t size = weights.size() / type.block_elements * type.block_bytes;
  const uint64_t begin = DataRange(file, tensor).begin + row * size;
  std::string buffer;
  const Bytes bytes = file.Read({begin, begin + size}, &buffer);
  if (Dequantize(static_cast<TensorType>(type.id), bytes, absl::MakeSpan(weights),
                 file.encoding.endian)) {
    weights.clear();
  }
  return weights;
}

bool AreAlike(const Row& a, const Row& b) {
  double products = 0, of_a = 0, of_b = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    products += static_cast<double>(a[i]) * b[i];
    of_a += static_cast<double>(a[i]) * a[i];
    of_b += static_cast<double>(b[i]) * b[i];
  }
  return products > kAlike * std::sqrt(of_a * of_b);
}

uint64_t RowsOf(const TensorInfo& tensor) {
  uint64_t rows = 1;
  for (uint32_t i = 1; i < tensor.rank(); ++i) rows *= tensor.dims[i];
  return rows;
}

bool HasRows(const TensorInfo& tensor) {
  return tensor.rank() > 1 && tensor.dims[0] >= kLeastColumns && tensor.has_known_weights() &&
         tensor.dims[0] % tensor.type_info()->block_elements == 0 && RowsOf(tensor) > kRow;
}

}  // namespace

Origin::Origin(const Model& model)
    : model_(&model), architecture_(model.hparams().architecture_name()) {
  const TensorTable& tensors = model.tensors();
  index_.emplace(tensors);
  for (size_t i = 0; i < tensors.files(); ++i) {
    const File& file = tensors.file(i);
    const bool is_complete = file.progress == Progress::kTensors && file.alignment_known;
    placements_.push_back(is_complete ? PlaceTensors(file) : Placement());
  }
  model.FindKey("");  // Computed when first used, which is not safe to share.
}

Origin::Origin(SourceModel source)
    : source_(std::move(source)), architecture_(source_->architecture) {}

Origin::Tensor Origin::FindTensor(absl::string_view name) const {
  if (model_ == nullptr) return {};
  const auto position = index_->FindPosition(name);
  if (!position) return {};
  const TensorTable& tensors = model_->tensors();
  const size_t i = tensors.FileOf(*position);
  const TensorInfo& info = tensors[*position];
  const std::vector<Place>& places = placements_[i].places;
  const bool has_data = info.index < places.size() && places[info.index] == Place::kGood;
  return {&info, &tensors.file(i), has_data};
}

Likeness FindLikeness(const File& file, const TensorInfo& tensor, const Origin& origin) {
  const Origin::Tensor own = origin.FindTensor(tensor.name.value);
  if (!HasRows(tensor) || !HasRows(*own.info)) return {};
  const Row row = ReadRow(file, tensor, kRow);
  uint64_t left = kMostWeights / row.size();  // Rows.

  const TensorTable& tensors = origin.model()->tensors();
  for (uint32_t i = 0; i < tensors.size() && left > 0; ++i) {
    PollDeadline();
    if (tensors[i].dims != tensor.dims) continue;
    const absl::string_view name = tensors[i].name.value;
    const Origin::Tensor other = origin.FindTensor(name);
    const bool is_own = name == tensor.name.value;
    if (is_own || !other.has_data || !HasRows(*other.info)) continue;
    --left;
    if (AreAlike(row, ReadRow(*other.file, *other.info, kRow))) {
      return {Likeness::kTensor, name};
    }
  }
  Row column;
  for (uint64_t i = 0; i < RowsOf(tensor) && left > 0; ++i, --left) {
    PollDeadline();
    const Row other = ReadRow(*own.file, *own.info, i);
    if (i != kRow && AreAlike(row, other)) return {Likeness::kRow, {}, i};
    if (other.size() > kRow) column.push_back(other[kRow]);
  }
  const bool is_square = column.size() == row.size();
  if (is_square && AreAlike(row, column)) return {Likeness::kTransposed};
  return {};
}

}  // namespace gguf
