// For any bytes, a fix with any profile terminates, loses no byte of a tensor, gives no finding
// that the file did not have, and fixing again changes nothing.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/fix/plan.h"
#include "conformance/model/tensor_data.h"
#include "fuzz/check_file.h"
#include "parser/parse.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

// Returns the data of all tensors that have some in the file.
std::string DataOf(Bytes bytes) {
  Diagnostics unused(0);
  const File file = Parse(bytes, Limits(), &unused);
  std::string all;
  for (const TensorInfo& tensor : file.tensors) {
    if (!file.alignment_known || !tensor.bytes || *tensor.bytes == 0) continue;
    if (IsInFile(file, tensor)) all += std::string(AsText(file.At(DataRange(file, tensor)))) + "|";
  }
  return all;
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  using namespace gguf;
  const Bytes bytes(data, size);
  Choice choice(data, size);
  FixOptions options;
  options.profile = Profile::BuiltIn()[choice.Below(Profile::BuiltIn().size())];
  options.is_unsafe = choice.OneIn(2);
  const auto plan = MakePlan({bytes}, options);
  if (!plan.ok() || (*plan)[0].result == nullptr) return 1;
  const Spliced& result = *(*plan)[0].result;
  std::string fixed(result.source().size, '\0');
  result.Read(0, reinterpret_cast<uint8_t*>(&fixed[0]), fixed.size());
  const std::string had = DataOf(bytes);
  Require(had.empty() || had == DataOf(AsBytes(fixed)));
  const FileReport after = Validate(AsBytes(fixed), options.profile, options.check);
  Require(NewFindings((*plan)[0].before, after).empty());
  const auto again = MakePlan({AsBytes(fixed)}, options);
  Require(again.ok() && (*again)[0].result == nullptr);
  return 0;
}
