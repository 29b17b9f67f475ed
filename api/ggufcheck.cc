// The C interface: arguments, errors and exceptions.
//
// SPDX-License-Identifier: Apache-2.0

#include "api/ggufcheck.h"

#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "api/check.h"
#include "api/contents.h"
#include "conformance/base/project.h"
#include "conformance/check/option_table.h"
#include "conformance/rules/check_options.h"

struct ggufcheck_options {
  gguf::CheckOptions values;
};

struct ggufcheck_report {
  explicit ggufcheck_report(gguf::api::Checked checked) : contents(std::move(checked)) {}
  gguf::api::Report contents;
};

struct ggufcheck_contents {
  explicit ggufcheck_contents(gguf::Bytes bytes) : read(bytes) {}
  gguf::api::Contents read;
};

namespace {

using gguf::api::Checked;

thread_local char last_error[1024] = "";

// Records an error; cuts a long one between characters.
void Fail(absl::string_view error) {
  size_t size = std::min(error.size(), sizeof last_error - 1);
  const auto continues = [&] { return (error[size] & 0xC0) == 0x80; };
  while (size > 0 && size < error.size() && continues()) --size;
  std::memcpy(last_error, error.data(), size);
  last_error[size] = '\0';
}

// Runs a function.  Exceptions end here.
template <class Value, class Function>
Value Run(Value failure, Function function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    Fail("out of memory");
  } catch (const std::exception& error) {
    Fail(error.what());
  } catch (...) {
    Fail("an unknown exception");
  }
  return failure;
}

int SetOption(ggufcheck_options* options, const char* name, const char* value) {
  const absl::Status status = gguf::SetLibraryOption(name, value, &options->values);
  if (status.ok()) return 0;
  Fail(status.message());
  return -1;
}

// Runs a check with options, or with the defaults.
template <class Check>
ggufcheck_report* Report(const ggufcheck_options* options, Check check) {
  absl::StatusOr<Checked> checked =
      check(options != nullptr ? options->values : gguf::CheckOptions());
  if (checked.ok()) return new ggufcheck_report(*std::move(checked));
  Fail(checked.status().message());
  return nullptr;
}

template <class Value>
Value Refuse(Value failure, const char* why) {
  Fail(why);
  return failure;
}

// Returns whether there can be such a buffer.
bool IsBuffer(const void* data, size_t size) {
  if (data == nullptr && size > 0) return Refuse(false, "the data is NULL");
  if (size > std::numeric_limits<size_t>::max() / 2) {
    return Refuse(false, "the size is larger than any buffer");
  }
  return true;
}

}  // namespace

const char* ggufcheck_version() { return gguf::kToolVersion; }

const char* ggufcheck_last_error() { return last_error; }

ggufcheck_options* ggufcheck_options_new() {
  return Run<ggufcheck_options*>(nullptr, [] { return new ggufcheck_options; });
}

int ggufcheck_options_set(ggufcheck_options* options, const char* name, const char* value) {
  if (options == nullptr) return Refuse(-1, "the options are NULL");
  if (name == nullptr) return Refuse(-1, "the name of the option is NULL");
  if (value == nullptr) return Refuse(-1, "the value of the option is NULL");
  return Run(-1, [&] { return SetOption(options, name, value); });
}

void ggufcheck_options_free(ggufcheck_options* options) { delete options; }

ggufcheck_report* ggufcheck_check_file(const char* path, const ggufcheck_options* options) {
  constexpr ggufcheck_report* kFailure = nullptr;
  if (path == nullptr) return Refuse(kFailure, "the path is NULL");
  return Run(kFailure, [&] {
    return Report(options, [&](const gguf::CheckOptions& values) {
      return gguf::api::CheckFile(path, values);
    });
  });
}

ggufcheck_report* ggufcheck_check_buffer(const void* data, size_t size, const char* name,
                                         const ggufcheck_options* options) {
  constexpr ggufcheck_report* kFailure = nullptr;
  if (!IsBuffer(data, size)) return kFailure;
  return Run(kFailure, [&] {
    return Report(options, [&](const gguf::CheckOptions& values) {
      const gguf::Bytes bytes(static_cast<const uint8_t*>(data), size);
      return gguf::api::CheckBuffer(bytes, name != nullptr ? name : "", values);
    });
  });
}

ggufcheck_report* ggufcheck_check_callback(ggufcheck_read read, void* user, uint64_t size,
                                           const char* name, const ggufcheck_options* options) {
  constexpr ggufcheck_report* kFailure = nullptr;
  if (read == nullptr) return Refuse(kFailure, "the function is NULL");
  return Run(kFailure, [&] {
    return Report(options, [&](const gguf::CheckOptions& values) {
      return gguf::api::CheckCallback(
          [&](uint64_t offset, void* to, size_t count) { return read(user, offset, to, count); },
          size, name != nullptr ? name : "", values);
    });
  });
}

const char* ggufcheck_report_result(const ggufcheck_report* report) {
  if (report != nullptr) return report->contents.result();
  return Refuse<const char*>(nullptr, "the report is NULL");
}

size_t ggufcheck_report_count(const ggufcheck_report* report) {
  if (report != nullptr) return report->contents.findings().size();
  return Refuse<size_t>(0, "the report is NULL");
}

const ggufcheck_finding* ggufcheck_report_finding(const ggufcheck_report* report, size_t index) {
  constexpr const ggufcheck_finding* kFailure = nullptr;
  if (report == nullptr) return Refuse(kFailure, "the report is NULL");
  const auto& findings = report->contents.findings();
  if (index < findings.size()) return &findings[index];
  return Refuse(kFailure, "the report has no finding of this index");
}

const char* ggufcheck_report_json(const ggufcheck_report* report) {
  constexpr const char* kFailure = nullptr;
  if (report == nullptr) return Refuse(kFailure, "the report is NULL");
  return Run(kFailure, [&] { return report->contents.json(); });
}

void ggufcheck_report_free(ggufcheck_report* report) { delete report; }

ggufcheck_contents* ggufcheck_read_buffer(const void* data, size_t size) {
  constexpr ggufcheck_contents* kFailure = nullptr;
  if (!IsBuffer(data, size)) return kFailure;
  return Run(kFailure, [&] {
    return new ggufcheck_contents(gguf::Bytes(static_cast<const uint8_t*>(data), size));
  });
}

const char* ggufcheck_contents_json(const ggufcheck_contents* contents) {
  constexpr const char* kFailure = nullptr;
  if (contents == nullptr) return Refuse(kFailure, "the contents are NULL");
  return Run(kFailure, [&] { return contents->read.json(); });
}

size_t ggufcheck_contents_count(const ggufcheck_contents* contents) {
  if (contents != nullptr) return contents->read.tensors().size();
  return Refuse<size_t>(0, "the contents are NULL");
}

const ggufcheck_tensor* ggufcheck_contents_tensor(const ggufcheck_contents* contents,
                                                  size_t index) {
  constexpr const ggufcheck_tensor* kFailure = nullptr;
  if (contents == nullptr) return Refuse(kFailure, "the contents are NULL");
  const auto& tensors = contents->read.tensors();
  if (index < tensors.size()) return &tensors[index];
  return Refuse(kFailure, "the contents have no tensor of this index");
}

int ggufcheck_contents_dequantize(const ggufcheck_contents* contents, size_t index,
                                  float* weights) {
  if (ggufcheck_contents_tensor(contents, index) == nullptr) return -1;
  if (weights == nullptr) return Refuse(-1, "the weights are NULL");
  return Run(-1, [&] {
    const auto error = contents->read.Dequantize(index, weights);
    return error ? Refuse(-1, error->c_str()) : 0;
  });
}

void ggufcheck_contents_free(ggufcheck_contents* contents) { delete contents; }
