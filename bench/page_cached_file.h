// PageCachedFile: a temporary file whose bytes are in the page cache, for
// measurements against a plain read.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_BENCH_PAGE_CACHED_FILE_H_
#define GGUF_BENCH_PAGE_CACHED_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "conformance/base/bytes.h"

namespace gguf {

class PageCachedFile {
 public:
  // Ends the program if there is no room for the file.
  explicit PageCachedFile(const std::string& bytes) : file_(std::tmpfile()), size_(bytes.size()) {
    if (file_ == nullptr || std::fwrite(bytes.data(), 1, size_, file_) != size_ ||
        std::fflush(file_) != 0) {
      std::perror("temporary file");
      std::exit(1);
    }
  }
  ~PageCachedFile() { std::fclose(file_); }
  PageCachedFile(const PageCachedFile&) = delete;
  PageCachedFile& operator=(const PageCachedFile&) = delete;

  uint64_t size() const { return size_; }

  // Copies `n` bytes of the file, as a program does that does not map it.
  void Read(uint64_t begin, uint8_t* bytes, size_t n) const {
    while (n > 0) {
      const ssize_t got = pread(fileno(file_), bytes, n, static_cast<off_t>(begin));
      if (got <= 0) {
        std::perror("pread");
        std::exit(1);
      }
      begin += got;
      bytes += got;
      n -= got;
    }
  }

 private:
  friend class Mapping;

  std::FILE* const file_;
  const uint64_t size_;
};

// A fresh mapping of a file.  The first read of a page enters it into the
// tables of the process, as in a run of the program.
class Mapping {
 public:
  explicit Mapping(const PageCachedFile& file)
      : size_(file.size_),
        map_(mmap(nullptr, size_, PROT_READ, MAP_SHARED, fileno(file.file_), 0)) {
    if (map_ == MAP_FAILED) {
      std::perror("mmap");
      std::exit(1);
    }
  }
  ~Mapping() { munmap(map_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Bytes bytes() const { return Bytes(static_cast<const uint8_t*>(map_), size_); }

 private:
  const uint64_t size_;
  void* const map_;
};

// Reads every byte.
inline uint64_t SumOf(Bytes bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    sum += LoadUnsigned<uint64_t>(bytes.data() + i, Endian::kLittle);
  }
  return sum;
}

}  // namespace gguf

#endif  // GGUF_BENCH_PAGE_CACHED_FILE_H_
