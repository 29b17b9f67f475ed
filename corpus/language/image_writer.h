// ImageWriter: appends to an image within limits, and keeps the first error.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_IMAGE_WRITER_H_
#define GGUF_CORPUS_LANGUAGE_IMAGE_WRITER_H_

#include <cstdint>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// Every function except the plain accessors returns false after an error.
class ImageWriter {
 public:
  explicit ImageWriter(uint64_t max_stored) : max_stored_(max_stored) {}

  // Returns whether `times` copies can be stored; otherwise fails.
  bool HasRoom(uint64_t bytes, uint64_t times);

  // Appends the two's complement of a number in so many bytes.
  bool Number(absl::int128 number, int bytes);
  // Appends `times` copies.
  bool Bytes(absl::string_view bytes, uint64_t times = 1);
  bool Copies(const Image& image, uint64_t times);
  bool Zeros(uint64_t count);
  bool Align(uint64_t alignment);

  // Appends an image from Take(), whose cost is already counted.
  bool Append(const Image& taken);
  // Overwrites existing bytes.
  bool Overwrite(uint64_t offset, const Image& bytes);

  // Counts one step of work, with so many bytes to examine, so that no text
  // runs for hours.
  bool Step(uint64_t bytes = 0);
  // Fails at the position set last.
  bool Fail(absl::string_view message);

  void set_big_endian(bool big_endian) { big_endian_ = big_endian; }
  Position at() const { return at_; }
  void set_at(Position at) { at_ = at; }

  uint64_t size() const { return image_.size(); }
  Image* image() { return &image_; }
  Image Take();  // Leaves an empty image; its cost stays counted.
  const absl::Status& status() const { return status_; }

 private:
  bool Room(uint64_t stored, uint64_t size);

  const uint64_t max_stored_;
  bool big_endian_ = false;
  Image image_;
  Position at_;
  uint64_t steps_ = 0;
  uint64_t stored_ = 0;
  absl::Status status_;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_IMAGE_WRITER_H_
