// Image: the bytes of an assembled file; long runs of zeros are only counted.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_IMAGE_H_
#define GGUF_CORPUS_IMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

class Image {
 public:
  // First the bytes, then that many zeros.
  struct Segment {
    std::string bytes;
    uint64_t zeros = 0;
  };

  void Append(absl::string_view bytes);
  void AppendZeros(uint64_t count);
  void Append(const Image& other);

  // Keeps the first `size` bytes, which must be there.
  void Truncate(uint64_t size);

  // The bytes [begin, end), as far as they are there.
  Image Part(uint64_t begin, uint64_t end) const;

  // Writes over bytes that must be there.
  void Overwrite(uint64_t offset, absl::string_view bytes);

  uint64_t size() const { return size_; }
  const std::vector<Segment>& segments() const { return segments_; }

  // All bytes; for files that fit into memory.
  std::string ToString() const;

 private:
  std::vector<Segment> segments_;
  uint64_t size_ = 0;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_IMAGE_H_
