// Bytes of a file: ranges, numbers of either byte order, and arithmetic on them that does not wrap;
// and Assert.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_BYTES_H_
#define GGUF_CONFORMANCE_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// Assert: aborts on a bug in ggufcheck itself, in every build.

// For invariants that hold whatever bytes the file has.  An invalid file is a
// Diagnostic (diagnostic.h), never an assertion.
inline void Assert(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "ggufcheck: internal error: %s\n", what);
  std::abort();
}

// Bytes, byte ranges of a file, and values that remember their range.

// A view of untrusted bytes; the owner outlives the view.
using Bytes = absl::Span<const uint8_t>;

inline Bytes AsBytes(absl::string_view text) {
  return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

inline absl::string_view AsText(Bytes bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The bytes [begin, end) of a file; offsets count from its first byte.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// A value and its position in the file.  The range of a string includes its
// length prefix, where the field begins.
template <class T>
struct Field {
  T value{};
  Range where;
};

// Loads unsigned integers and floats of either endianness.

enum class Endian { kLittle, kBig };

constexpr Endian kHostEndian =
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? Endian::kBig : Endian::kLittle;

// Reads sizeof(T) bytes at `bytes`, which need not be aligned.
template <class T>
T LoadUnsigned(const uint8_t* bytes, Endian endian) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if (endian == kHostEndian) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  return value;
}

// Reads `size` bytes; `size` is 1, 2, 4 or 8.
inline uint64_t LoadUnsignedOfSize(const uint8_t* bytes, uint32_t size, Endian endian) {
  switch (size) {
    case 1:
      return *bytes;
    case 2:
      return LoadUnsigned<uint16_t>(bytes, endian);
    case 4:
      return LoadUnsigned<uint32_t>(bytes, endian);
    default:
      return LoadUnsigned<uint64_t>(bytes, endian);
  }
}

inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline double DoubleFromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Checked arithmetic on numbers from a file: nothing wraps.

// Returns a + b, or nothing if it does not fit into 64 bits.
inline std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// Returns a * b, or nothing if it does not fit into 64 bits.
inline std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Returns the smallest multiple of `unit` that is at least `value`, or nothing
// if it does not fit into 64 bits.  `unit` is not zero.
inline std::optional<uint64_t> CheckedAlignUp(uint64_t value, uint64_t unit) {
  const uint64_t beyond = value % unit;
  if (beyond == 0) return value;
  return CheckedAdd(value, unit - beyond);
}

// Source: a file to read, with those of its bytes that are available.

// Reads the data of a file that is not in memory.
class DataReader {
 public:
  virtual ~DataReader() = default;

  // Copies the bytes [offset, offset + size) of the file.  Bytes that cannot be
  // read become zeros; whoever made the reader must ask it whether that
  // happened.  May be called from several threads.
  virtual void Read(uint64_t offset, uint8_t* to, size_t size) const = 0;
};

// Refers to bytes and a name, which outlive it and everything made from it.
struct Source {
  // A whole file.  Implicit, so that plain bytes can stand for one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Source(Bytes whole, absl::string_view the_name = "")
      : prefix(whole), size(whole.size()), name(the_name) {}
  // The beginning of a file of `the_size` bytes; at most the whole file.
  Source(Bytes the_prefix, uint64_t the_size, absl::string_view the_name)
      : prefix(the_prefix), size(the_size), name(the_name) {}

  // Returns whether tensor data may be read.
  bool is_whole() const { return !header_only && (prefix.size() == size || data != nullptr); }

  Bytes prefix;              // From the first byte of the file.
  uint64_t size;             // Size of the file.
  absl::string_view name;    // Its base name; empty for a stream.
  bool header_only = false;  // Read nothing after the tensor table.
  // Reads the file's data if `prefix` ends before it; null if nothing can.
  const DataReader* data = nullptr;
  // The parts that were never written, in order: they take no space on disk, and read as zeros.  At
  // most kMostHoles.  Null if the file system was not asked, or does not tell.
  const std::vector<Range>* holes = nullptr;
};

// The first holes of a file are enough to see that it was never filled.
constexpr size_t kMostHoles = 1024;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_BYTES_H_
