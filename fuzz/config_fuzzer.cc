// For any text, reading it as a configuration terminates, either with an error
// that names a line, or with a configuration whose profiles can all be built
// and whose tensor types have sizes that grow with the tensor, or overflow.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "conformance/base/toml_file.h"
#include "conformance/check/config.h"
#include "fuzz/target.h"
#include "parser/file.h"

namespace {

using gguf::Require;

// "c:LINE: what".
bool NamesLine(absl::string_view message) {
  int line = 0;
  const size_t end = message.find(':', 2);
  return message.substr(0, 2) == "c:" && end != message.npos &&
         absl::SimpleAtoi(message.substr(2, end - 2), &line) && line > 0 &&
         message.substr(end, 2) == ": " && message.size() > end + 2;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of exact size, so that ASan detects a read past its end.
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto file = gguf::TomlFile::Parse(text, "c");
  Require(file.ok() || NamesLine(file.status().message()));
  if (!file.ok()) return 0;
  const auto config = gguf::ReadConfig(*std::move(file));
  Require(config.ok() || NamesLine(config.status().message()));
  if (!config.ok()) return 0;
  Require(gguf::MakeProfile(*config, config->profile, {}, {}).ok());
  for (const auto& profile : config->profiles) {
    Require(gguf::MakeProfile(*config, profile.name, {}, {}).ok());
  }
  if (config->limits.own_types == nullptr) return 0;
  for (const auto& [id, type] : config->limits.own_types->by_id) {
    uint64_t last = 0;
    for (int power = 0; power < 63; ++power) {
      gguf::TensorInfo tensor;
      tensor.n_dims.value = 1;
      tensor.dims[0] = uint64_t{1} << power;
      tensor.type.value = id;
      tensor.sized = &type;
      const auto bytes = gguf::ByteSize(tensor, 1);
      Require(bytes.value_or(last) >= last);
      last = bytes.value_or(last);
    }
  }
  return 0;
}
