// Prints gguf.dict, for libFuzzer, AFL++ and honggfuzz: words of GGUF files.
// `bazel run //fuzz/kit:dictionary >fuzz/kit/gguf.dict` updates it.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <iostream>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/tables/find_standard_key.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"
#include "parser/value.h"

namespace gguf {
namespace {

std::string U32(uint64_t value) { return ByteWriter().U32(static_cast<uint32_t>(value)).bytes(); }

// Prints name="bytes", with other than plain characters as \xHH.
std::string Entry(absl::string_view name, absl::string_view bytes) {
  std::string entry;
  for (const char c : name) entry += absl::ascii_isalnum(c) ? c : '_';
  entry += "=\"";
  for (const unsigned char byte : bytes) {
    const bool is_plain = byte > ' ' && byte < 0x7F && byte != '"' && byte != '\\';
    entry += is_plain ? std::string(1, static_cast<char>(byte)) : absl::StrFormat("\\x%02X", byte);
  }
  return entry + "\"\n";
}

std::string Dictionary() {
  std::string out =
      "# Words of GGUF files; numbers are little endian.\n"
      "# Generated from the tables of ggufcheck by\n"
      "# `bazel run //fuzz/kit:dictionary`; a test fails when it is stale.\n";
  out += Entry("magic", "GGUF");
  for (const uint64_t version : {1, 2, 3}) {
    absl::StrAppend(&out, Entry(absl::StrCat("header_v", version), "GGUF" + U32(version)));
  }
  for (uint32_t id = 0; const ValueTypeInfo* type = FindValueType(id, 3); ++id) {
    absl::StrAppend(&out, Entry(absl::StrCat("value_", type->name), U32(id)),
                    Entry(absl::StrCat("array_of_", type->name), U32(9) + U32(id)));
  }
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    absl::StrAppend(&out, Entry(absl::StrCat("type_", type.name), U32(type.id)));
  }
  for (const StandardKey& row : kStandardKeys) {
    const std::string key = WithArchitecture(row.key, "llama");
    if (absl::StrContains(key, "{")) continue;  // A pattern for many keys.
    absl::StrAppend(&out, Entry(absl::StrCat("key_", key), ByteWriter().String(key).bytes()));
  }
  return out;
}

}  // namespace
}  // namespace gguf

int main() {
  std::cout << gguf::Dictionary();
  return std::cout.flush() ? 0 : 1;
}
