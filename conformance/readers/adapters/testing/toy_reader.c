/* A small, strict reader of the metadata and tensor table of GGUF 3 with its
 * adapter, in C89: a test of gguf_testee.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "conformance/readers/adapters/gguf_testee.h"

#define TOY_MOST 65536 /* Bytes in a text, elements in an array. */

static FILE* toy_file;
static const char* toy_error; /* Why the file is rejected, or null. */

static void fail(const char* why) {
  if (toy_error == NULL) toy_error = why;
}

static adapter_u64 number(int size) {
  unsigned char bytes[8];
  adapter_u64 value = 0;
  if (fread(bytes, 1, (size_t)size, toy_file) != (size_t)size) {
    fail("truncated the file ends early");
    return 0;
  }
  while (size > 0) value = value << 8 | bytes[--size];
  return value;
}

/* Reads a count or a length, limited to TOY_MOST. */
static adapter_u64 small_number(void) {
  const adapter_u64 value = number(8);
  if (value > TOY_MOST) fail("limit a number is too large");
  return toy_error == NULL ? value : 0;
}

static size_t text(char* buffer) {
  const size_t size = (size_t)small_number();
  if (fread(buffer, 1, size, toy_file) != size) fail("truncated a text");
  return toy_error == NULL ? size : 0;
}

static void element(int type) {
  static char buffer[TOY_MOST];
  if (type == 8) {
    const size_t size = text(buffer);
    adapter_bytes(buffer, size);
  } else {
    const int size = adapter_types[type].size;
    const adapter_u64 value = number(size);
    /* Works on little-endian machines only. */
    adapter_element(type, &value);
  }
}

static void value(void) {
  adapter_u64 type = number(4), count = 1;
  const int is_array = type == 9;
  if (is_array) {
    type = number(4);
    count = small_number();
  }
  if (!adapter_is_type(type) || type == 9) fail("unsupported a type of value");
  if (toy_error != NULL) return;
  if (is_array) {
    adapter_array(type, count);
  } else {
    adapter_type(type);
  }
  for (; count > 0 && toy_error == NULL; --count) element((int)type);
}

static void tensor(void) {
  static char name[TOY_MOST];
  adapter_u64 dims[4], type;
  const size_t size = text(name);
  const adapter_u64 n_dims = number(4);
  adapter_u64 i;
  if (n_dims > 4) fail("unsupported more than four dimensions");
  for (i = 0; i < n_dims && toy_error == NULL; ++i) dims[i] = number(8);
  type = number(4);
  adapter_tensor(name, size, type, number(8), (int)n_dims, dims);
}

static void read_toy(const char* path) {
  static char key[TOY_MOST];
  adapter_u64 tensors, keys;
  toy_error = NULL;
  toy_file = fopen(path, "rb");
  if (toy_file == NULL) {
    adapter_skip("cannot open");
    return;
  }
  if (number(4) != 0x46554747UL) fail("magic not a GGUF file");
  if (number(4) != 3) fail("version it is not 3");
  tensors = small_number();
  for (keys = small_number(); keys > 0 && toy_error == NULL; --keys) {
    const size_t size = text(key);
    adapter_key(key, size);
    value();
  }
  for (; tensors > 0 && toy_error == NULL; --tensors) tensor();
  if (toy_error != NULL) {
    adapter_reject(toy_error);
  } else {
    adapter_accept();
  }
  fclose(toy_file);
}

int main(void) { return adapter_run("toy-c", "1", "kv,tensors", read_toy); }
