/* gguf-tools, antirez' reader, as a testee; README.md says how to build it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "gguf_testee.h"
#include "gguflib.h"

static void show_value(void* unused, uint32_t type, union gguf_value* value,
                       uint64_t in_array, uint64_t length) {
  if (type == GGUF_VALUE_TYPE_ARRAY_START) {
    if (in_array == 0) testee_word("arr");
    testee_inner_array(value->array.type, length);
  }
  if (!testee_is_type(type)) return;
  if (in_array == 0) testee_type(type);
  type == GGUF_VALUE_TYPE_STRING
      ? testee_bytes(value->string.string, value->string.len)
      : testee_element(type, value);
}

static void show_tensor(const gguf_ctx* file, gguf_tensor* t) {
  float* weights = gguf_tensor_to_float(t);
  testee_tensor(t->name, t->namelen, t->type, t->offset - file->data_off,
                t->ndim, t->dim);
  testee_data(t->name, t->namelen, t->weights_data, t->bsize);
  if (weights != NULL) {
    testee_weights(t->name, t->namelen, weights, t->num_weights);
  }
  free(weights);
}

static void read_file(const char* path) {
  gguf_ctx* file = gguf_open(path);
  gguf_key key;
  gguf_tensor tensor;
  if (file == NULL) {
    testee_reject("syntax gguf_open");
    return;
  }
  while (gguf_get_key(file, &key)) {
    testee_key(key.name, key.namelen);
    gguf_do_with_value(file, key.type, key.val, NULL, 0, 0, show_value);
  }
  while (gguf_get_tensor(file, &tensor)) show_tensor(file, &tensor);
  file->left_tensors == 0 ? testee_accept()
                          : testee_reject("unsupported a tensor's type");
  gguf_close(file);
}

int main(void) {
  return testee_run("gguf-tools", "8fa6eb65", "kv,tensors,data,deq", read_file);
}
