// Adapter for ggufcheck itself, through its C interface (api/ggufcheck.h).
//
// It accepts a file when `ggufcheck check` does with the profiles upload and
// safety: a reader cannot accept a tensor type that it does not know, which
// upload permits.  For the corpus's cases of scope container, which have the
// architecture "test" or no key at all, the rules about models do not count.
//
// SPDX-License-Identifier: Apache-2.0

#include "api/ggufcheck.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "conformance/readers/adapters/gguf_testee.h"
#include "nlohmann/json.hpp"

using Json = nlohmann::json;

// Writes text, which the dump has in hex if it is not UTF-8.
static void show_text(const Json& text, const char* plain, const char* hex) {
  if (text.contains(plain)) {
    const std::string bytes = text[plain];
    adapter_bytes(bytes.data(), bytes.size());
  } else {
    adapter_word(text[hex].get<std::string>().c_str());
  }
}

static void show_array(const Json& array);

static void show_value(const std::string& type, const Json& value) {
  if (type == "arr") return show_array(value);
  if (type == "str" && value.is_object()) return show_text(value, "", "hex");
  if (type == "str") return show_text({{"text", value}}, "text", "");
  if (value.is_boolean()) return adapter_number(value ? 1 : 0);
  adapter_word(value.get<std::string>().c_str());
}

static void show_array(const Json& array) {
  const Json& values = array[array.contains("bits") ? "bits" : "value"];
  adapter_word(array["elem"].get<std::string>().c_str());
  adapter_number(values.size());
  for (const Json& value : values) show_value(array["elem"], value);
}

static void show_key(const Json& kv) {
  adapter_begin("@kv");
  show_text(kv, "key", "key_hex");
  adapter_word(kv["type"].get<std::string>().c_str());
  const char* const member = kv.contains("bits") ? "bits" : "value";
  const bool whole = kv["type"] == "arr" || kv.contains("hex");
  show_value(kv["type"], whole ? kv : kv[member]);
}

static void show_tensor(const ggufcheck_contents* file, size_t i) {
  const ggufcheck_tensor& t = *ggufcheck_contents_tensor(file, i);
  const std::vector<adapter_u64> dims(t.dims, t.dims + t.n_dims);
  adapter_tensor(t.name, t.name_size, t.type, t.offset, t.n_dims, dims.data());
  adapter_data(t.name, t.name_size, t.data, t.data_size);
  std::vector<float> weights(t.weights < ADAPTER_MAX_LINE ? t.weights : 0);
  if (weights.size() != t.weights || t.weights == 0) return;
  ggufcheck_contents_dequantize(file, i, weights.data());
  adapter_weights(t.name, t.name_size, weights.data(), t.weights);
}

// Returns why a profile rejects the file, as "CLASS TEXT"; empty if it does
// not.
static std::string why_not(const char* path, const char* profile, bool model) {
  ggufcheck_options* const options = ggufcheck_options_new();
  ggufcheck_options_set(options, "profile", profile);
  ggufcheck_report* const report = ggufcheck_check_file(path, options);
  std::string why = report == nullptr ? ggufcheck_last_error() : "";
  for (size_t i = ggufcheck_report_count(report); i-- > 0;) {
    const ggufcheck_finding& f = *ggufcheck_report_finding(report, i);
    const bool counts = model || std::string(f.about) == "container";
    if (!counts || f.path != std::string(path)) continue;
    if (f.severity != std::string("error")) continue;
    why = std::string(f.rule) + " " + f.subject + " " + f.message;
  }
  if (report && ggufcheck_report_result(report) == std::string("incomplete")) {
    why = "limit the check is incomplete";
  }
  ggufcheck_report_free(report);
  ggufcheck_options_free(options);
  return why;
}

// Returns whether the keys and the tensor table are so long that their dump
// would take more time and memory than a run allows.  Only cases that a reader
// may reject have such.
static bool is_long(const ggufcheck_contents* file, size_t size) {
  constexpr size_t kLong = 32 << 20;
  const ggufcheck_tensor* const first = ggufcheck_contents_tensor(file, 0);
  return first == nullptr && size > kLong;
}

// Writes the contents.  Returns whether they are a model.
static bool show(const ggufcheck_contents* file, size_t size) {
  if (is_long(file, size)) return false;
  const Json dump = Json::parse(ggufcheck_contents_json(file));
  if (!dump.contains("kv")) return true;  // A legacy format.
  bool is_model = !dump["kv"].empty();
  for (const Json& kv : dump["kv"]) {
    show_key(kv);
    const bool named = kv.value("key", "") == "general.architecture";
    if (named) is_model = kv.value("value", Json()) != "test";
  }
  for (size_t i = 0; i < ggufcheck_contents_count(file); ++i) {
    show_tensor(file, i);
  }
  return is_model;
}

static void read_file(const char* path) {
  const int fd = open(path, O_RDONLY);
  struct stat status = {};
  if (fd < 0 || fstat(fd, &status) != 0) return adapter_skip("cannot open");
  void* const bytes = mmap(nullptr, status.st_size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
  ggufcheck_contents* const file = ggufcheck_read_buffer(bytes, status.st_size);
  const bool model = show(file, status.st_size);
  std::string why = why_not(path, "upload", model);
  if (why.empty()) why = why_not(path, "safety", model);
  why.empty() ? adapter_accept() : adapter_reject(why.c_str());
  ggufcheck_contents_free(file);
  munmap(bytes, status.st_size + 1);
  close(fd);
}

int main() {
  return adapter_run("ggufcheck", ggufcheck_version(), "kv,tensors,data,deq,models,legacy",
                     read_file);
}
