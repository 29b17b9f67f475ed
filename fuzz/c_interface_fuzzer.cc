// Whatever the bytes and the options, a check through the C interface ends with
// a report or an error; findings lie inside the file; and a file that a
// function reads has the same report as its bytes.  Contents lie inside the
// bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "api/ggufcheck.h"
#include "fuzz/target.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

struct Option {
  const char* name;
  const char* value;
};
constexpr Option kOptions[] = {
    {"profile", "safety"}, {"profile", "pedantic"}, {"profile", "none"},    {"weights", "true"},
    {"weights", "no"},     {"stats", "true"},       {"readers", "true"},    {"header-only", "true"},
    {"size", "1000"},      {"select", "tensor-*"},  {"ignore", "key-*"},    {"fail-on", "note"},
    {"limit-keys", "3"},   {"limit-findings", "1"}, {"limit-tokens", "1K"}, {"no-such-option", ""},
};

struct File {
  const uint8_t* data;
  size_t size;
  uint64_t most_read;  // Reading beyond it fails.
  size_t piece;
};

int64_t Read(void* user, uint64_t offset, void* to, size_t size) {
  const File& file = *static_cast<const File*>(user);
  Require(offset <= file.size);
  if (offset > file.most_read) return -1;
  const size_t count = std::min({size, file.piece, file.size - static_cast<size_t>(offset)});
  std::memcpy(to, file.data + offset, count);
  return static_cast<int64_t>(count);
}

void Look(const ggufcheck_report* report, size_t size) {
  const std::string result = ggufcheck_report_result(report);
  Require(result == "pass" || result == "fail" || result == "incomplete");
  const size_t count = ggufcheck_report_count(report);
  for (size_t i = 0; i < count; ++i) {
    const ggufcheck_finding* finding = ggufcheck_report_finding(report, i);
    Require(finding->offset <= finding->end && finding->end <= size);
    Require(finding->subject != nullptr && std::strlen(finding->rule) > 0);
  }
  Require(ggufcheck_report_finding(report, count) == nullptr);
}

// Reads every byte that the contents refer to.
void LookAtContents(const uint8_t* data, size_t size) {
  ggufcheck_contents* contents = ggufcheck_read_buffer(data, size);
  Require(contents != nullptr && ggufcheck_contents_json(contents) != nullptr);
  const size_t count = ggufcheck_contents_count(contents);
  for (size_t i = 0; i < count; ++i) {
    const ggufcheck_tensor& tensor = *ggufcheck_contents_tensor(contents, i);
    const auto* bytes = static_cast<const uint8_t*>(tensor.data);
    Require(tensor.data_size <= size);
    Require(tensor.data_size == 0 || (bytes >= data && bytes + tensor.data_size <= data + size));
    // A tensor of bits has at most 8 weights a byte.
    if (tensor.weights > 8 * size) continue;
    std::vector<float> weights(tensor.weights + 1);
    Require(ggufcheck_contents_dequantize(contents, i, weights.data()) == 0);
  }
  Require(ggufcheck_contents_tensor(contents, count) == nullptr);
  ggufcheck_contents_free(contents);
}

bool Same(const ggufcheck_report* a, const ggufcheck_report* b) {
  return std::strcmp(ggufcheck_report_json(a), ggufcheck_report_json(b)) == 0;
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  gguf::Choice choice(data, size);
  ggufcheck_options* options = ggufcheck_options_new();
  bool header_only = false, has_size = false;
  for (const gguf::Option& option : gguf::kOptions) {
    if (!choice.OneIn(8)) continue;
    const bool set = ggufcheck_options_set(options, option.name, option.value) == 0;
    gguf::Require(set || std::strlen(ggufcheck_last_error()) > 0);
    header_only |= set && std::strcmp(option.name, "header-only") == 0;
    has_size |= set && std::strcmp(option.name, "size") == 0;
  }
  const char* const name = choice.OneIn(2) ? nullptr : "a-00001-of-00002.gguf";
  gguf::File file = {data, size, size, 1 + choice.Below(100)};
  if (choice.OneIn(4)) file.most_read = choice.Below(size + 1);

  ggufcheck_report* whole = ggufcheck_check_buffer(data, size, name, options);
  ggufcheck_report* read = ggufcheck_check_callback(gguf::Read, &file, size, name, options);
  const bool failed = whole != nullptr && std::strcmp(ggufcheck_report_result(whole), "fail") == 0;
  if (whole != nullptr) gguf::Look(whole, has_size ? size_t{1000} : size);
  if (read != nullptr) gguf::Look(read, size);
  const bool comparable = file.most_read == size && !header_only && !has_size;
  if (comparable) {
    gguf::Require((whole == nullptr) == (read == nullptr));
    // Writing JSON takes most of the time.
    if (whole != nullptr && choice.OneIn(4)) {
      gguf::Require(gguf::Same(whole, read));
    }
  }
  if (choice.OneIn(8)) gguf::LookAtContents(data, size);
  ggufcheck_report_free(whole);
  ggufcheck_report_free(read);
  ggufcheck_options_free(options);
  return failed ? 1 : 0;
}
