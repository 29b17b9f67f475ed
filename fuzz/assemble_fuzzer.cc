// For any text, assembling it terminates, with bytes or with an error that
// names the line.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace corpus = gguf::corpus;
  constexpr uint64_t kSmall = 1 << 20;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto load = [](absl::string_view) -> absl::StatusOr<std::string> {
    return std::string("gguf 3\nkv \"a\" u8 1\ntensor \"w\" F32 [1]\n");
  };
  const auto read = corpus::ReadText(text, load);
  absl::Status status = read.status();
  if (status.ok()) status = corpus::Assemble(read->document, kSmall).status();
  gguf::Require(status.ok() || absl::StrContains(status.message(), "line "));
  return 0;
}
