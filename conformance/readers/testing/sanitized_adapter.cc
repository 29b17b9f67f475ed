// An adapter, built with ASan and UBSan, that makes the mistake named by a
// file's name.
//
// SPDX-License-Identifier: Apache-2.0

#include <climits>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

volatile int one = 1;  // Hides the mistakes from the compiler.

int HeapOverflow() {
  char* const bytes = static_cast<char*>(std::calloc(8, 1));
  const auto past = static_cast<unsigned char>(bytes[8 * one]);
  std::free(bytes);
  return past;
}

int SignedOverflow() { return INT_MAX + one; }

int NullRead() {
  const volatile int* const null = reinterpret_cast<int*>(8 * (one - 1) + 16);
  return *null;
}

// NOLINTBEGIN(clang-analyzer-*)
int HugeNew() { return *new char[(size_t{1} << 45) * one]; }

int HugeMalloc() { return std::malloc((size_t{1} << 45) * one) == nullptr; }
// NOLINTEND(clang-analyzer-*)

}  // namespace

int main() {
  std::cout << "@gguf-testee 1 sanitized 1.0 -" << std::endl;
  const struct {
    const char* name;
    int (*mistake)();
  } mistakes[] = {{"heap-overflow", HeapOverflow},
                  {"signed-overflow", SignedOverflow},
                  {"null-read", NullRead},
                  {"huge-new", HugeNew},
                  {"huge-malloc", HugeMalloc}};
  for (std::string path; std::getline(std::cin, path);) {
    int sum = 0;
    for (const auto& [name, mistake] : mistakes) {
      if (path.find(name) != std::string::npos) sum += mistake();
    }
    std::cout << (sum == 1 ? "@reject memory" : "@accept") << std::endl;
  }
}
