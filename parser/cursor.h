// A Cursor reads an untrusted file from front to back.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CURSOR_H_
#define GGUF_PARSER_CURSOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "parser/byte_order.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

// Why reading ended before its time.
struct Stop {
  enum Kind {
    kDamage,   // The file broke a rule; a diagnostic says which and where.
    kNotDone,  // A limit, or the environment: the file may well be fine.
  };

  Kind kind = kDamage;
  const Rule* rule = nullptr;  // Null for kNotDone.
  std::string why;             // Where and why, for a person.
};

// How a version of the format writes numbers.
struct Encoding {
  Endian endian = Endian::kLittle;
  uint32_t length_bytes = 8;  // Of counts, lengths and dimensions; v1 has 4.
};

// Every read names the field it reads.  The first read that does not fit adds
// one diagnostic, with the field's path and offset, and stops the cursor; later
// reads do nothing and return false.  So a caller may read a whole struct with
// `&&` and return the result.
//
// Strings point into the file, which must outlive them.
class Cursor {
 public:
  // `limit` is how many bytes may be read at most: running into it is a Stop,
  // not a diagnostic.  `out` may be null for a file that was read before.
  Cursor(Bytes file, uint64_t limit, Diagnostics* out)
      : file_(file), limit_(limit), out_(out) {}

  void set_encoding(Encoding encoding) { encoding_ = encoding; }
  const Encoding& encoding() const { return encoding_; }

  // What later diagnostics are about; a read adds its field.
  void set_subject(const Subject& subject) { subject_ = subject; }
  const Subject& subject() const { return subject_; }

  uint64_t offset() const { return offset_; }
  void set_offset(uint64_t offset);
  const std::optional<Stop>& stop() const { return stop_; }

  // Each read leaves `*value` alone when it fails.
  bool ReadU32(absl::string_view field, Field<uint32_t>* value);
  bool ReadU64(absl::string_view field, Field<uint64_t>* value);

  // A count, length or dimension.
  bool ReadLength(absl::string_view field, Field<uint64_t>* value);

  // A length, then that many bytes.
  bool ReadString(absl::string_view field, Field<absl::string_view>* value);

  // `size` bytes as they are.
  bool Take(absl::string_view field, uint64_t size, Bytes* bytes);

  // Whether `count` entries of at least `min_size` bytes each can follow.
  // After a yes the caller may reserve(count).
  bool Fits(uint64_t count, uint64_t min_size) const;

  // Stops with a diagnostic of `rule`, or for a limit.  Return false.
  bool Fail(const Rule& rule, absl::string_view field, Range where,
            absl::string_view format, std::initializer_list<Arg> args);
  bool StopAtLimit(absl::string_view why);

 private:
  template <class T>
  bool ReadUnsigned(absl::string_view field, uint32_t size, Field<T>* value);

  Bytes file_;
  uint64_t limit_;
  Diagnostics* out_;
  Encoding encoding_;
  Subject subject_;
  uint64_t offset_ = 0;  // offset_ <= file_.size(), always.
  std::optional<Stop> stop_;
};

}  // namespace gguf

#endif  // GGUF_PARSER_CURSOR_H_
