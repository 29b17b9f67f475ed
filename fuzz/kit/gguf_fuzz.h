/* gguf_fuzz.h: turns any reader of GGUF files into a fuzz target.

   In one C++ source file, define what you want and include this:

     GGUF_FUZZ_IMPL          libFuzzer's entry points, with the mutator of
                             gguf_mutator.cc; you write gguf_fuzz_read, or
     GGUF_FUZZ_BY_PATH       also: you write gguf_fuzz_read_path, for a reader
                             that opens files by name (Linux); or
     GGUF_FUZZ_DIFFERENTIAL  also: you write gguf_fuzz_read_a and _b, and the
                             target compares what they read.
     GGUF_FUZZ_MAIN          a main that replays files, and with --mutants N
                             fuzzes without libFuzzer.  It may be the only
                             one in a file.

   The functions that you write are `extern "C"`, so they may be C.
   README.md has complete examples.

   SPDX-License-Identifier: Apache-2.0 */

#ifndef GGUF_FUZZ_KIT_GGUF_FUZZ_H_
#define GGUF_FUZZ_KIT_GGUF_FUZZ_H_

#include <stddef.h>
#include <stdint.h>

#include "gguf_mutator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file in memory, and accesses everything that its callers may access.
   Returns 0 if it accepts the file.  It may accept or reject: only a crash, a
   leak or a hang is a finding.  `data` is invalid afterwards. */
int gguf_fuzz_read(const uint8_t* data, size_t size);

/* The same, for a file that exists until the function returns.  The path works
   in child processes too. */
int gguf_fuzz_read_path(const char* path);

/* The values that a reader found in a file, for comparison. */
typedef struct gguf_fuzz_values gguf_fuzz_values;

/* Adds a value: "kv[general.name]" or "tensor[w].dims", and its bytes in any
   form that both readers agree on.  The order of calls does not matter. */
void gguf_fuzz_value(gguf_fuzz_values* values, const char* name, size_t name_size,
                     const void* bytes, size_t size);

/* The two readers to compare; 0 when accepted.  Values are compared only when
   both accept. */
int gguf_fuzz_read_a(const uint8_t* data, size_t size, gguf_fuzz_values* values);
int gguf_fuzz_read_b(const uint8_t* data, size_t size, gguf_fuzz_values* values);

/* Optional, in differential targets: returns 1 if it is known and acceptable
   that the readers differ on this file. */
int gguf_fuzz_may_differ(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#ifdef __cplusplus
}
#endif

/* By path -------------------------------------------------------------------
 */

#if defined(GGUF_FUZZ_IMPL) && defined(GGUF_FUZZ_BY_PATH)

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file is in memory and is reused: nothing is written to disk. */
extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  static const int file = memfd_create("input.gguf", 0);
  if (file < 0 || ftruncate(file, 0) != 0) {
    perror("gguf_fuzz.h: no file in memory");
    abort();
  }
  for (size_t done = 0; done < size;) {
    const ssize_t n = pwrite(file, data + done, size - done, static_cast<off_t>(done));
    if (n <= 0) {
      perror("gguf_fuzz.h: cannot write to the file in memory");
      abort();
    }
    done += static_cast<size_t>(n);
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return gguf_fuzz_read_path(path);
}

#endif /* GGUF_FUZZ_BY_PATH */

/* Differential --------------------------------------------------------------
 */

#if defined(GGUF_FUZZ_IMPL) && defined(GGUF_FUZZ_DIFFERENTIAL)

#include <stdio.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

struct gguf_fuzz_values {
  /* Names and bytes; a name may have several. */
  std::multiset<std::pair<std::string, std::string>> all;
};

extern "C" void gguf_fuzz_value(gguf_fuzz_values* values, const char* name, size_t name_size,
                                const void* bytes, size_t size) {
  values->all.emplace(std::string(name, name_size),
                      std::string(static_cast<const char*>(bytes), size));
}

/* Weak: it need not be defined. */
extern "C" __attribute__((weak)) int gguf_fuzz_may_differ(const uint8_t* data, size_t size);

namespace gguf_fuzz {

/* A name may be hostile: only printable characters are printed. */
inline std::string Printable(std::string name) {
  for (char& c : name) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return name;
}

inline std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

/* Prints the values of one reader that the other does not have. */
inline void PrintMissing(const char* reader, const gguf_fuzz_values& in,
                         const gguf_fuzz_values& other) {
  std::vector<std::pair<std::string, std::string>> missing;
  std::set_difference(in.all.begin(), in.all.end(), other.all.begin(), other.all.end(),
                      std::back_inserter(missing));
  for (const auto& value : missing) {
    fprintf(stderr, "  only %s: %s = %s\n", reader, Printable(value.first).c_str(),
            Hex(value.second).c_str());
  }
}

}  // namespace gguf_fuzz

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  gguf_fuzz_values a, b;
  const int result_a = gguf_fuzz_read_a(data, size, &a);
  const int result_b = gguf_fuzz_read_b(data, size, &b);
  const bool both = result_a == 0 && result_b == 0;
  const bool differ = (result_a == 0) != (result_b == 0) || (both && a.all != b.all);
  const bool may_differ = gguf_fuzz_may_differ != nullptr && gguf_fuzz_may_differ(data, size) != 0;
  if (differ && !may_differ) {
    fprintf(stderr, "the readers differ: a returned %d, b returned %d\n", result_a, result_b);
    if (both) gguf_fuzz::PrintMissing("a", a, b);
    if (both) gguf_fuzz::PrintMissing("b", b, a);
    __builtin_trap();
  }
  return both ? 0 : 1;
}

#endif /* GGUF_FUZZ_DIFFERENTIAL */

/* libFuzzer's entry points --------------------------------------------------
 */

#ifdef GGUF_FUZZ_IMPL

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gguf_fuzz_read(data, size);
  return 0;
}

/* libFuzzer's own mutator, which uses the comparisons that it observed. */
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                         size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (LLVMFuzzerMutate != nullptr && seed % 8 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  return gguf_mutate(data, size, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned int seed) {
  return gguf_cross_over(a, a_size, b, b_size, out, max_size, seed);
}

#endif /* GGUF_FUZZ_IMPL */

/* A main without libFuzzer --------------------------------------------------
 */

#ifdef GGUF_FUZZ_MAIN

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

/* As with libFuzzer, a target may define one. */
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace gguf_fuzz {

/* In memory of exact size, so that a sanitizer detects reads past its end. */
inline void RunOne(const std::string& file) {
  const std::unique_ptr<uint8_t[]> bytes(new uint8_t[file.size()]);
  memcpy(bytes.get(), file.data(), file.size());
  LLVMFuzzerTestOneInput(bytes.get(), file.size());
}

/* Mutants of mutants: each is made from the one before, and now and then from
   the original file.  `last` is a file that always holds the latest. */
inline void RunMutants(const std::string& file, unsigned long count, size_t max_size,
                       const char* last) {
  std::string mutant;
  for (unsigned long i = 0; i < count; ++i) {
    if (i % 8 == 0) mutant = file;
    size_t size = mutant.size();
    mutant.resize(size < max_size ? max_size : size);
    size = gguf_mutate(reinterpret_cast<uint8_t*>(&mutant[0]), size, mutant.size(),
                       static_cast<uint32_t>(i));
    mutant.resize(size);
    if (last != nullptr) {
      std::ofstream(last, std::ios::binary) << mutant;
    }
    RunOne(mutant);
  }
}

inline int Usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--mutants N] [--max-size N] [--last FILE] FILE...\n"
          "Reads each FILE; with --mutants also N mutants of it.  With --last\n"
          "each mutant is first written there: after a crash it is the cause.\n",
          program);
  return 2;
}

}  // namespace gguf_fuzz

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  unsigned long mutants = 0;
  size_t max_size = 4096;
  const char* last = nullptr;
  int i = 1;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
    if (strcmp(argv[i], "--mutants") == 0) {
      mutants = strtoul(argv[i + 1], nullptr, 10);
    } else if (strcmp(argv[i], "--max-size") == 0) {
      max_size = strtoul(argv[i + 1], nullptr, 10);
    } else if (strcmp(argv[i], "--last") == 0) {
      last = argv[i + 1];
    } else {
      break;
    }
  }
  if (i == argc || argv[i][0] == '-') return gguf_fuzz::Usage(argv[0]);
  for (; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    gguf_fuzz::RunOne(file);
    gguf_fuzz::RunMutants(file, mutants, max_size, last);
  }
  return 0;
}

#endif /* GGUF_FUZZ_MAIN */

#endif /* GGUF_FUZZ_KIT_GGUF_FUZZ_H_ */
