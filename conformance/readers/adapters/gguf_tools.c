/* Adapter for antirez's gguf-tools; README.md describes how to build it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "gguf_testee.h"
#include "gguflib.h"

static void show_value(void* unused, uint32_t type, union gguf_value* value,
                       uint64_t in_array, uint64_t length) {
  if (type == GGUF_VALUE_TYPE_ARRAY_START) {
    if (in_array == 0) adapter_word("arr");
    adapter_inner_array(value->array.type, length);
  }
  if (type - GGUF_VALUE_TYPE_ARRAY_START <= 1) return; /* Or ..._ARRAY_END. */
  if (in_array == 0) adapter_type(type);
  if (!adapter_is_type(type)) return;
  type == GGUF_VALUE_TYPE_STRING
      ? adapter_bytes(value->string.string, value->string.len)
      : adapter_element(type, value);
}

static void show_tensor(const gguf_ctx* file, gguf_tensor* t) {
  float* weights = gguf_tensor_to_float(t);
  adapter_tensor(t->name, t->namelen, t->type, t->offset - file->data_off,
                 t->ndim, t->dim);
  adapter_data(t->name, t->namelen, t->weights_data, t->bsize);
  if (weights != NULL) {
    adapter_weights(t->name, t->namelen, weights, t->num_weights);
  }
  free(weights);
}

static void read_one(const char* path) {
  gguf_ctx* file = gguf_open(path);
  gguf_key key;
  gguf_tensor tensor;
  if (file == NULL) {
    adapter_reject("syntax gguf_open");
    return;
  }
  while (gguf_get_key(file, &key)) {
    adapter_key(key.name, key.namelen);
    gguf_do_with_value(file, key.type, key.val, NULL, 0, 0, show_value);
  }
  while (gguf_get_tensor(file, &tensor)) show_tensor(file, &tensor);
  file->left_tensors ? adapter_reject("unsupported type") : adapter_accept();
  gguf_close(file);
}

int main(void) {
  return adapter_run("gguf-tools", "8fa6eb65", "kv,tensors,data,deq", read_one);
}
