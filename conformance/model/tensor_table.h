// TensorTable: the tensors of a model, from one file or several shards.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "parser/core/file.h"

namespace gguf {

// A view, which copies nothing.  In addition to its index in its own file, a
// tensor has a position in the table, which continues from file to file.
class TensorTable {
 public:
  // Files in this order; at least one.  They must outlive this object.
  explicit TensorTable(std::vector<const File*> files)
      : files_(std::move(files)) {
    for (const File* file : files_) {
      begins_.push_back(size_);
      size_ += static_cast<uint32_t>(file->tensors.size());
    }
  }

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Takes time that grows with the logarithm of the number of files.
  const TensorInfo& operator[](uint32_t position) const {
    if (files_.size() == 1) return files_[0]->tensors[position];
    const size_t file = FileOf(position);
    return files_[file]->tensors[position - begins_[file]];
  }

  // The file that has the tensor, and the position of a file's first tensor.
  size_t FileOf(uint32_t position) const {
    return std::upper_bound(begins_.begin(), begins_.end(), position) -
           begins_.begin() - 1;
  }
  uint32_t BeginOf(size_t file) const { return begins_[file]; }

 private:
  std::vector<const File*> files_;
  std::vector<uint32_t> begins_;  // By file.
  uint32_t size_ = 0;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_
