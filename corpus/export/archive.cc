// Writes the ZIP format (PKWARE's APPNOTE.TXT 6.3.3), sections 4.3.7, 4.3.12
// and 4.3.16; zlib compresses.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/archive.h"

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "zlib.h"

namespace gguf::corpus {
namespace {

constexpr uint32_t kVersion = 20;          // Needed to extract: 2.0, deflate.
constexpr uint32_t kNamesAreUtf8 = 0x800;  // Flag 11.
constexpr uint32_t kDeflated = 8;
// 1980-01-01 00:00, the earliest time in the format.
constexpr uint32_t kDate = 1 << 5 | 1;
constexpr uint32_t kTime = 0;

// Appends a little-endian number.
void Put(int bytes, uint64_t number, std::string* out) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(number >> (8 * i)));
  }
}

// Returns raw deflate data, without the header of zlib; nothing without memory.
std::string Deflate(absl::string_view bytes) {
  z_stream stream = {};
  constexpr int kRaw = -MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRaw, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return "";
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // Not written.
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<Bytef*>(&out[0]);
  stream.avail_out = out.size();
  const int result = deflate(&stream, Z_FINISH);
  out.resize(result == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

// Returns the fields that a file's own header and its directory entry share.
std::string SharedFields(absl::string_view name, absl::string_view contents,
                         absl::string_view deflated) {
  std::string fields;
  Put(2, kVersion, &fields);
  Put(2, kNamesAreUtf8, &fields);
  Put(2, kDeflated, &fields);
  Put(2, kTime, &fields);
  Put(2, kDate, &fields);
  Put(4, crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()), &fields);
  Put(4, deflated.size(), &fields);
  Put(4, contents.size(), &fields);
  Put(2, name.size(), &fields);
  Put(2, 0, &fields);  // Extra fields.
  return fields;
}

}  // namespace

absl::StatusOr<std::string> Zip(const std::map<std::string, std::string>& files) {
  constexpr size_t kMost16 = std::numeric_limits<uint16_t>::max();
  constexpr size_t kMost32 = std::numeric_limits<uint32_t>::max();
  std::string bytes, directory;
  for (const auto& [name, contents] : files) {
    const size_t begin = bytes.size();
    const std::string deflated = Deflate(contents);
    if (deflated.empty() || name.size() > kMost16 || begin > kMost32 || contents.size() > kMost32 ||
        deflated.size() > kMost32) {
      return absl::InternalError(absl::StrCat("cannot add ", name, " to an archive"));
    }
    const std::string fields = SharedFields(name, contents, deflated);
    absl::StrAppend(&bytes, "PK\3\4", fields, name, deflated);
    absl::StrAppend(&directory, "PK\1\2");
    Put(2, kVersion, &directory);  // Made by.
    absl::StrAppend(&directory, fields);
    Put(2, 0, &directory);  // Comment.
    Put(2, 0, &directory);  // Disk.
    Put(2, 0, &directory);  // Internal attributes.
    Put(4, 0, &directory);  // External attributes.
    Put(4, begin, &directory);
    absl::StrAppend(&directory, name);
  }
  if (files.size() > kMost16 || bytes.size() + directory.size() > kMost32) {
    return absl::InternalError("too many files for an archive");
  }
  const size_t directory_begin = bytes.size();
  absl::StrAppend(&bytes, directory, "PK\5\6");
  Put(4, 0, &bytes);  // Disks.
  Put(2, files.size(), &bytes);
  Put(2, files.size(), &bytes);
  Put(4, directory.size(), &bytes);
  Put(4, directory_begin, &bytes);
  Put(2, 0, &bytes);  // Comment.
  return bytes;
}

}  // namespace gguf::corpus
