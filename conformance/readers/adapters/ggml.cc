// ggml, the reader of llama.cpp, as a testee; README.md says how to build it.
//
// It loads a file with its data, as programs that use ggml alone do.
//
// SPDX-License-Identifier: Apache-2.0

#include "ggml.h"

#include <vector>

#include "gguf.h"
#include "gguf_testee.h"

static void show_key(const gguf_context* file, int64_t i) {
  const bool is_array = gguf_get_kv_type(file, i) == GGUF_TYPE_ARRAY;
  const auto type = (is_array ? gguf_get_arr_type : gguf_get_kv_type)(file, i);
  const size_t count = is_array ? gguf_get_arr_n(file, i) : 1;
  testee_key(gguf_get_key(file, i), TESTEE_TEXT);
  is_array ? testee_array(type, count) : testee_type(type);
  if (type != GGUF_TYPE_STRING) {
    const auto get = is_array ? gguf_get_arr_data : gguf_get_val_data;
    return testee_elements(type, count, get(file, i));
  }
  for (size_t k = 0; k < count; ++k) {
    testee_text(is_array ? gguf_get_arr_str(file, i, k)
                         : gguf_get_val_str(file, i));
  }
}

static void show_tensor(const ggml_tensor* t, size_t offset) {
  const auto* dims = (const testee_u64*)t->ne;
  testee_tensor(t->name, TESTEE_TEXT, t->type, offset, GGML_MAX_DIMS, dims);
  testee_data(t->name, TESTEE_TEXT, t->data, ggml_nbytes(t));
  const auto to_float = ggml_get_type_traits(t->type)->to_float;
  if (to_float == nullptr || size_t(ggml_nelements(t)) > 1 << 20) return;
  std::vector<float> weights(ggml_nelements(t));
  to_float(t->data, weights.data(), weights.size());
  testee_weights(t->name, TESTEE_TEXT, weights.data(), weights.size());
}

static void read_file(const char* path) {
  ggml_context* tensors = nullptr;
  gguf_context* const file = gguf_init_from_file(path, {false, &tensors});
  if (file == nullptr) return testee_reject("syntax see its log");
  for (int64_t i = 0; i < gguf_get_n_kv(file); ++i) show_key(file, i);
  for (int64_t i = 0; i < gguf_get_n_tensors(file); ++i) {
    show_tensor(ggml_get_tensor(tensors, gguf_get_tensor_name(file, i)),
                gguf_get_tensor_offset(file, i));
  }
  testee_accept();
  ggml_free(tensors);
  gguf_free(file);
}

int main() {
  return testee_run("ggml", GGML_NAME, "kv,tensors,data,deq", read_file);
}
