// Image: the bytes of an assembled file; long runs of zeros are only counted.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_IMAGE_H_
#define GGUF_CORPUS_LANGUAGE_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

class Image {
 public:
  // First the bytes, then that many zeros.
  struct Segment {
    uint64_t begin = 0;  // In the image.
    std::string bytes;
    uint64_t zeros = 0;

    uint64_t middle() const { return begin + bytes.size(); }
    uint64_t end() const { return middle() + zeros; }
  };

  // What a run of zeros takes in memory, at most: as bytes, or as a segment.
  static uint64_t StoredZeros(uint64_t count);
  static constexpr uint64_t kStoredSegment = 64;

  void Append(absl::string_view bytes);
  void AppendZeros(uint64_t count);
  void Append(const Image& other);

  // Keeps the first `size` bytes, which must be there.
  void Truncate(uint64_t size);

  // The bytes [begin, end), as far as they are there.
  Image Part(uint64_t begin, uint64_t end) const;

  // Writes over bytes that must be there.  Returns how many bytes were moved
  // for that.
  uint64_t Overwrite(uint64_t offset, const Image& bytes);

  bool is_zeros() const;  // All of it.
  uint64_t size() const { return size_; }
  uint64_t stored() const;  // In memory, at most.
  const std::vector<Segment>& segments() const { return segments_; }

  // All bytes; for files that fit into memory.
  std::string ToString() const;

 private:
  // The index of the first segment that ends behind an offset.
  size_t SegmentAt(uint64_t offset) const;
  // The same when a segment begins there: it is made to.  Adds the bytes moved.
  size_t SplitAt(uint64_t offset, uint64_t* moved);
  bool OverwriteBytes(uint64_t offset, const Image& bytes);

  std::vector<Segment> segments_;
  uint64_t size_ = 0;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_IMAGE_H_
