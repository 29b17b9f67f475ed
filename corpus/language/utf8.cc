// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/utf8.h"

#include "absl/strings/match.h"

namespace gguf::corpus {

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const uint32_t mark = 0xff00u >> (more + 1);  // ...110, 1110, 11110, zeros.
  out->push_back(static_cast<char>(mark | code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | (code >> (6 * i) & 0x3f)));
  }
}

size_t DecodeUtf8(absl::string_view bytes, uint32_t* code) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<uint8_t>(bytes[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  *code = size == 1 ? first : first & (0xff >> (size + 1));
  if (bytes.size() < size || *code > 0x10ffff >> (6 * (size - 1))) return 0;
  for (size_t i = 1; i < size; ++i) *code = *code << 6 | (bytes[i] & 0x3f);
  // Any other encoding differs from the shortest form.
  std::string again;
  if (*code <= 0x10ffff) AppendUtf8(*code, &again);
  return absl::StartsWith(bytes, again) && again.size() == size ? size : 0;
}

}  // namespace gguf::corpus
