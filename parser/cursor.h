// A Cursor reads an untrusted file from front to back.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CURSOR_H_
#define GGUF_PARSER_CURSOR_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

// The reason why reading stopped early.
struct Stop {
  enum Kind {
    kDamage,     // The file breaks a rule; a diagnostic reports it.
    kNotDone,    // A limit, or the environment: the file may be valid.
    kNeedsMore,  // The file continues, but its bytes are not available.
  };

  Kind kind = kDamage;
  const Rule* rule = nullptr;  // The broken rule, if kDamage.
  uint64_t offset = 0;
  Subject subject;    // What breaks the rule; refers to the file.
  std::string limit;  // Otherwise: the limit or the error.
  // If kDamage because the rest of the file is too short for a field: the bytes that it needs.
  uint64_t needed = 0;

  // Describes where and why reading stopped, for people.
  std::string Why() const;
};

// How a version of the format encodes numbers.
struct Encoding {
  Endian endian = Endian::kLittle;
  uint32_t length_bytes = 8;  // Size of counts, lengths, dimensions; 4 in v1.
};

// A Cursor reads a file from front to back.  Every read names the field it
// reads.  The first read that does not fit adds one diagnostic, with the
// field's path and offset, and stops the cursor; later reads do nothing and
// return false.  A caller may thus read a whole struct with `&&` and return the
// result.
//
// Strings point into the file, which must outlive them.
class Cursor {
 public:
  // `limit` is the maximum number of bytes to read.  Reaching it, or the end of
  // the source's prefix, is a Stop, not a diagnostic.
  Cursor(const Source& source, uint64_t limit, Diagnostics* out)
      : data_(source.prefix.data()),
        size_(source.size),
        prefix_size_(source.prefix.size()),
        limit_(limit),
        out_(out) {
    FindReadable();
  }

  // Reads the bytes of `where` a second time.  They may have changed: a field
  // that no longer fits into them stops the cursor, without a diagnostic.
  Cursor(const Source& source, Range where)
      : Cursor({source.prefix.subspan(0, where.end)}, where.end, nullptr) {
    offset_ = where.begin;
  }

  void set_encoding(Encoding encoding) { encoding_ = encoding; }
  const Encoding& encoding() const { return encoding_; }

  // The subject of later diagnostics; a read adds its field.
  void set_subject(const Subject& subject) { subject_ = subject; }
  const Subject& subject() const { return subject_; }

  uint64_t offset() const { return offset_; }
  // The number of bytes up to the end of the file.
  uint64_t remaining() const { return size_ - offset_; }
  // The number of those bytes that are available and within the limit.
  uint64_t readable() const { return readable_end_ - offset_; }
  const std::optional<Stop>& stop() const { return stop_; }

  // A read that fails leaves `*value` unchanged.
  bool ReadU32(absl::string_view field, Field<uint32_t>* value);
  bool ReadU64(absl::string_view field, Field<uint64_t>* value);

  // Reads a count, length or dimension.
  bool ReadLength(absl::string_view field, Field<uint64_t>* value);

  // Reads a length, then that many bytes.
  bool ReadString(absl::string_view field, Field<absl::string_view>* value);

  // Reads `count` consecutive strings; calls each(index, Field).
  template <class Function>
  bool ReadStrings(absl::string_view field, uint64_t count, Function each);

  // Reads `size` raw bytes.
  bool Take(absl::string_view field, uint64_t size, Bytes* bytes);

  // Skips `size` bytes that are not metadata and count towards no limit.
  bool Skip(absl::string_view field, uint64_t size);

  // Returns whether the rest of the file can hold `count` entries of at least
  // `min_size` bytes each.
  bool Fits(uint64_t count, uint64_t min_size) const;

  // Adds a diagnostic and continues.
  void Report(const Rule& rule, absl::string_view field, Range where, absl::string_view format,
              std::initializer_list<Arg> args);

  // Stop with a diagnostic of `rule`, or at a limit.  Return false.
  bool Fail(const Rule& rule, absl::string_view field, Range where, absl::string_view format,
            std::initializer_list<Arg> args);
  // The same if the rest of the file cannot hold `count` entries of `size` bytes.
  bool FailToFit(const Rule& rule, absl::string_view field, Range where, uint64_t count,
                 uint64_t size, absl::string_view format, std::initializer_list<Arg> args);
  bool StopAtLimit(absl::string_view why);

 private:
  template <class T>
  bool ReadUnsigned(absl::string_view field, uint32_t size, Field<T>* value);

  void FindReadable() { readable_end_ = std::max(offset_, std::min(prefix_size_, limit_)); }

  // Handles a Take or ReadString of more bytes than the file has left, than the
  // limit allows, or than are available.
  bool FailTake(absl::string_view field, uint64_t size);
  bool StopFor(Stop::Kind kind, absl::string_view why);
  bool FailString(absl::string_view field, const Field<uint64_t>& length);
  bool FailAtLimit(absl::string_view field, const Field<uint64_t>& length);

  const uint8_t* data_;
  uint64_t size_;          // Size of the file.
  uint64_t prefix_size_;   // Number of available bytes.
  uint64_t limit_;         // offset_ <= limit_, always.
  uint64_t readable_end_;  // The end of prefix or limit, whichever is first.
  Diagnostics* out_;       // Null when reading again.
  Encoding encoding_;
  Subject subject_;
  uint64_t offset_ = 0;  // offset_ <= size_ and readable_end_, always.
  bool stopped_ = false;
  std::optional<Stop> stop_;
};

// Inline, because reading a vocabulary takes a hundred thousand calls.

inline bool Cursor::Take(absl::string_view field, uint64_t size, Bytes* bytes) {
  if (stopped_) return false;
  // Not `offset_ + size`: that can wrap.
  if (size > readable_end_ - offset_) return FailTake(field, size);
  *bytes = Bytes(data_ + offset_, size);
  offset_ += size;
  return true;
}

template <class T>
bool Cursor::ReadUnsigned(absl::string_view field, uint32_t size, Field<T>* value) {
  const uint64_t begin = offset_;
  Bytes bytes;
  if (!Take(field, size, &bytes)) return false;
  value->value = static_cast<T>(LoadUnsignedOfSize(bytes.data(), size, encoding_.endian));
  value->where = {begin, offset_};
  return true;
}

inline bool Cursor::ReadU32(absl::string_view field, Field<uint32_t>* value) {
  return ReadUnsigned(field, 4, value);
}

inline bool Cursor::ReadU64(absl::string_view field, Field<uint64_t>* value) {
  return ReadUnsigned(field, 8, value);
}

inline bool Cursor::ReadLength(absl::string_view field, Field<uint64_t>* value) {
  return ReadUnsigned(field, encoding_.length_bytes, value);
}

inline bool Cursor::ReadString(absl::string_view field, Field<absl::string_view>* value) {
  const uint64_t begin = offset_;
  Field<uint64_t> length;
  if (!ReadLength(field, &length)) return false;
  if (length.value > size_ - offset_) return FailString(field, length);
  Bytes bytes;
  if (!Take(field, length.value, &bytes)) return FailAtLimit(field, length);
  value->value = AsText(bytes);
  value->where = {begin, offset_};
  return true;
}

template <class Function>
bool Cursor::ReadStrings(absl::string_view field, uint64_t count, Function each) {
  uint64_t i = 0;
  // Fast path for nearly all strings of nearly all files, with the offset in a
  // register; ReadString handles the rest.
  const uint64_t end = readable_end_;
  if (!stopped_ && encoding_.length_bytes == 8 && encoding_.endian == Endian::kLittle) {
    const uint8_t* const data = data_;
    uint64_t at = offset_;
    for (; i < count && end - at >= 8; ++i) {
      const auto length = LoadUnsigned<uint64_t>(data + at, Endian::kLittle);
      if (length > end - at - 8) break;
      const Bytes bytes(data + at + 8, length);
      each(i, Field<absl::string_view>{AsText(bytes), {at, at + 8 + length}});
      at += 8 + length;
    }
    offset_ = at;
  }
  for (; i < count; ++i) {
    Field<absl::string_view> text;
    if (!ReadString(field, &text)) return false;
    each(i, text);
  }
  return true;
}

}  // namespace gguf

#endif  // GGUF_PARSER_CURSOR_H_
