// Assemble: computes a document's bytes, within limits.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
#define GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"
#include "corpus/language/image.h"

namespace gguf::corpus {

// ImageWriter: appends to an image within limits, and keeps the first error.

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

// Assemble: computes a document's bytes.

// The maximum number of bytes stored for a file; counted zeros are not
// included.
constexpr uint64_t kMaxStored = uint64_t{1} << 30;

// Errors name line and column of an impossible layout: a number that does not
// fit its field, a cut after the end, more than 2^62 bytes, or more than
// `max_stored` bytes to store.
absl::StatusOr<Image> Assemble(const Document& document, uint64_t max_stored = kMaxStored);

// The positions that Assemble() computed, and the statements of the tables in
// the order of the file, each with the index of its repetition and its bytes
// [begin, end) of the file.
struct Tables {
  struct Key {
    const KeyValue* statement;
    uint64_t index;
    uint64_t begin = 0, end = 0;
  };
  struct Info {
    const Tensor* statement;
    uint64_t index;
    uint64_t offset;  // Computed; the statement may state another one.
    uint64_t begin = 0, end = 0;
  };
  std::vector<Key> keys;
  std::vector<Info> tensors;
  uint64_t end = 0;         // Of the header and the tables.
  uint64_t data_begin = 0;  // Of the data section; `end` if there is none.
};

// The same, and sets `tables`, whose statements are those of the document.
absl::StatusOr<Image> AssembleWithTables(const Document& document, Tables* tables);

// Returns how many elements of an array these items are.
uint64_t CountElements(const Items& items);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_ASSEMBLE_H_
