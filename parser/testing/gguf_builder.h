// GgufBuilder: builds small GGUF files for tests, valid or deliberately
// invalid.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_TESTING_GGUF_BUILDER_H_
#define GGUF_PARSER_TESTING_GGUF_BUILDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// Appends numbers of either endianness; lengths have 4 bytes in version 1.
class ByteWriter {
 public:
  explicit ByteWriter(uint32_t version = 3, bool big_endian = false)
      : version_(version), big_endian_(big_endian) {}

  ByteWriter& Raw(absl::string_view bytes);
  ByteWriter& U8(uint8_t value) { return Number(value, 1); }
  ByteWriter& U16(uint16_t value) { return Number(value, 2); }
  ByteWriter& U32(uint32_t value) { return Number(value, 4); }
  ByteWriter& U64(uint64_t value) { return Number(value, 8); }
  ByteWriter& Length(uint64_t value) { return Number(value, version_ == 1 ? 4 : 8); }
  ByteWriter& String(absl::string_view text) { return Length(text.size()).Raw(text); }
  ByteWriter& Zeros(uint64_t count);
  ByteWriter& PadTo(uint64_t alignment);

  const std::string& bytes() const { return bytes_; }

 private:
  ByteWriter& Number(uint64_t value, int size);

  uint32_t version_;
  bool big_endian_;
  std::string bytes_;
};

// Builds header, keys, tensor table and zeroed data.  To override a computed
// value, set the member of that name first.
class GgufBuilder {
 public:
  explicit GgufBuilder(uint32_t version = 3, bool big_endian = false)
      : version_(version), big_endian_(big_endian), keys_(New()) {}

  GgufBuilder& String(absl::string_view key, absl::string_view value);
  GgufBuilder& U32(absl::string_view key, uint32_t value);
  // Adds a key with the type id `type` and the raw bytes `value`.
  GgufBuilder& Key(absl::string_view key, uint32_t type, const ByteWriter& value);
  // Without an offset, the tensor follows the previous one, with padding.
  GgufBuilder& Tensor(absl::string_view name, std::vector<uint64_t> dims, uint32_t type,
                      std::optional<uint64_t> offset = std::nullopt);

  // Returns a writer of this file's version and endianness.
  ByteWriter New() const { return ByteWriter(version_, big_endian_); }

  std::string Build() const;

  std::optional<uint64_t> key_count, tensor_count;
  std::optional<uint32_t> header_version;
  uint64_t alignment = 32;             // For offsets and padding.
  std::optional<uint64_t> data_bytes;  // Size of the data section.
  std::string after_data;

 private:
  struct Info {
    std::string name;
    std::vector<uint64_t> dims;
    uint32_t type;
    uint64_t offset;
  };

  uint32_t version_;
  bool big_endian_;
  uint64_t keys_written_ = 0;
  ByteWriter keys_;
  std::vector<Info> tensors_;
  uint64_t data_end_ = 0;  // End of the tensors so far, padded.
};

}  // namespace gguf

#endif  // GGUF_PARSER_TESTING_GGUF_BUILDER_H_
