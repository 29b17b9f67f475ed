// ImageWriter: appends to an image within bounds, and remembers the first
// error.
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

// Every function but the plain accessors returns false after an error.
class ImageWriter {
 public:
  explicit ImageWriter(uint64_t max_stored) : max_stored_(max_stored) {}

  // Whether that many times so many bytes could be stored, or an error.
  bool HasRoom(uint64_t bytes, uint64_t times);

  // The two's complement of a number in so many bytes.
  bool Number(absl::int128 number, int bytes);
  // That many times the same.
  bool Bytes(absl::string_view bytes, uint64_t times = 1);
  bool Copies(const Image& image, uint64_t times);
  bool Zeros(uint64_t count);
  bool Align(uint64_t alignment);

  // Appends what Take() gave, which has been paid for.
  bool Append(const Image& taken);
  // Writes over bytes that must be there.
  bool Overwrite(uint64_t offset, const Image& bytes);

  // One step of whatever a text makes us do, with so many bytes to look at: so
  // none runs for hours.
  bool Step(uint64_t bytes = 0);
  // An error at the place set last.
  bool Fail(absl::string_view message);

  void set_big_endian(bool big_endian) { big_endian_ = big_endian; }
  Position at() const { return at_; }
  void set_at(Position at) { at_ = at; }

  uint64_t size() const { return image_.size(); }
  Image* image() { return &image_; }
  Image Take();  // Leaves an empty one; what it stores stays counted.
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
