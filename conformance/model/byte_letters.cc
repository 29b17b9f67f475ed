#include "conformance/model/byte_letters.h"

#include <array>

namespace gguf {
namespace {

bool IsPrintable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

struct Letters {
  std::array<uint32_t, 256> of_byte{};
  std::array<int, 0x144> to_byte{};

  Letters() {
    to_byte.fill(-1);
    uint32_t other = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t letter = IsPrintable(byte) ? static_cast<uint32_t>(byte) : other++;
      of_byte[byte] = letter;
      to_byte[letter] = byte;
    }
  }
};

const Letters& AllLetters() {
  static const Letters kLetters;
  return kLetters;
}

}  // namespace

std::string ByteLetter(int byte) {
  const uint32_t letter = AllLetters().of_byte[byte];
  if (letter < 0x80) return std::string(1, static_cast<char>(letter));
  return {static_cast<char>(0xC0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3F))};
}

int ByteOfLetter(uint32_t code_point) {
  const auto& bytes = AllLetters().to_byte;
  return code_point < bytes.size() ? bytes[code_point] : -1;
}

}  // namespace gguf
