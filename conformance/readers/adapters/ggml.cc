// Adapter for ggml, the reader of llama.cpp; README.md describes how to build
// it.
//
// It loads a file with its data, like programs that use only ggml.
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
  adapter_key(gguf_get_key(file, i), ADAPTER_TEXT);
  is_array ? adapter_array(type, count) : adapter_type(type);
  if (type != GGUF_TYPE_STRING) {
    const auto get = is_array ? gguf_get_arr_data : gguf_get_val_data;
    return adapter_elements(type, count, get(file, i));
  }
  for (size_t k = 0; k < count; ++k) {
    adapter_text(is_array ? gguf_get_arr_str(file, i, k) : gguf_get_val_str(file, i));
  }
}

static void show_tensor(const ggml_tensor* t, size_t offset) {
  const auto* dims = (const adapter_u64*)t->ne;
  adapter_tensor(t->name, ADAPTER_TEXT, t->type, offset, GGML_MAX_DIMS, dims);
  adapter_data(t->name, ADAPTER_TEXT, t->data, ggml_nbytes(t));
  const auto to_float = ggml_get_type_traits(t->type)->to_float;
  if (to_float == nullptr || size_t(ggml_nelements(t)) > 1 << 20) return;
  std::vector<float> weights(ggml_nelements(t));
  to_float(t->data, weights.data(), weights.size());
  adapter_weights(t->name, ADAPTER_TEXT, weights.data(), weights.size());
}

static void read_file(const char* path) {
  ggml_context* tensors = nullptr;
  gguf_context* const file = gguf_init_from_file(path, {false, &tensors});
  if (file == nullptr) return adapter_reject("syntax see its log");
  for (int64_t i = 0; i < gguf_get_n_kv(file); ++i) show_key(file, i);
  for (int64_t i = 0; i < gguf_get_n_tensors(file); ++i) {
    show_tensor(ggml_get_tensor(tensors, gguf_get_tensor_name(file, i)),
                gguf_get_tensor_offset(file, i));
  }
  adapter_accept();
  ggml_free(tensors);
  gguf_free(file);
}

int main() { return adapter_run("ggml", GGML_NAME, "kv,tensors,data,deq", read_file); }
