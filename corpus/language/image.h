// Image: the bytes of an assembled file, of which long runs of zeros are only counted; and files of
// the corpus on disk.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_IMAGE_H_
#define GGUF_CORPUS_LANGUAGE_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

  // The maximum memory of a run of zeros, as bytes or as a segment.
  static uint64_t StoredZeros(uint64_t count);
  static constexpr uint64_t kStoredSegment = 64;

  void Append(absl::string_view bytes);
  void AppendZeros(uint64_t count);
  void Append(const Image& other);

  // Keeps the first `size` bytes, which must exist.
  void Truncate(uint64_t size);

  // Returns those of the bytes [begin, end) that exist.
  Image Part(uint64_t begin, uint64_t end) const;

  // Overwrites existing bytes.  Returns how many bytes were moved to do so.
  uint64_t Overwrite(uint64_t offset, const Image& bytes);

  bool is_zeros() const;  // Of all bytes.
  uint64_t size() const { return size_; }
  uint64_t stored() const;  // Upper bound, in memory.
  const std::vector<Segment>& segments() const { return segments_; }

  // Passes all bytes to `take`, piece by piece, with zeros in blocks.  Stops
  // and returns false as soon as `take` does.
  bool ForEachPiece(absl::FunctionRef<bool(absl::string_view)> take) const;

  // Returns all bytes; for files that fit into memory.
  std::string ToString() const;

 private:
  // Returns the index of the first segment that ends after an offset.
  size_t SegmentAt(uint64_t offset) const;
  // The same, after splitting so that a segment begins there.  Adds the number
  // of bytes moved.
  size_t SplitAt(uint64_t offset, uint64_t* moved);
  bool OverwriteBytes(uint64_t offset, const Image& bytes);

  std::vector<Segment> segments_;
  uint64_t size_ = 0;
};

// Reads files of the corpus as text, and writes them from an image.

// Creates or replaces the file.  Runs of zeros take no space if the file system
// supports it; a pipe or a device receives all of them.  Errors: "cannot write
// PATH: " and the system's message; the file may then be incomplete.
absl::Status WriteImage(const Image& image, const std::string& path);

// The same for an open descriptor, which stays open.  Errors: "cannot write: "
// and the system's message.
absl::Status WriteImage(const Image& image, int fd);

// Writes all bytes to a stream.
void StreamImage(const Image& image, std::ostream& out);

// Reads a whole file.  Errors: "cannot read PATH: " and the system's message.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The same, but does not open a directory, pipe or device: "is not a regular
// file".
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_IMAGE_H_
