/* Written like small C readers: a cursor, two tables, and malloc.  Where a
   bug is not enabled, the code is correct.

   SPDX-License-Identifier: Apache-2.0 */

#include "toy_reader.h"

#include <stdlib.h>
#include <string.h>

int toy_bug = 0;

enum { kU8, kBool = 7, kString, kArray, kValueTypes = 13 };

static const uint8_t kSizes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4,
                                            1, 0, 0, 8, 8, 8};

typedef struct {
  char* name;
  uint32_t type;
  union {
    uint64_t number;
    char* text;
  } value;
} toy_key;

typedef struct {
  char name[64];
  uint64_t dims[4];
  uint32_t type;
  uint64_t offset;
} toy_tensor;

typedef struct {
  const uint8_t* data;
  size_t size;
  size_t at;
  toy_key* keys;
  uint64_t key_count; /* Read so far. */
} toy_file;

/* All values read are used here, so that no compiler removes the reads. */
static volatile uint64_t touched;

static uint64_t remaining(const toy_file* f) { return f->size - f->at; }

static int read_bytes(toy_file* f, void* to, size_t size) {
  if (size > remaining(f)) return 0;
  memcpy(to, f->data + f->at, size);
  f->at += size;
  return 1;
}

static int read_u32(toy_file* f, uint32_t* value) {
  return read_bytes(f, value, 4);
}

static int read_u64(toy_file* f, uint64_t* value) {
  return read_bytes(f, value, 8);
}

/* Returns a NUL-terminated copy, to be freed. */
static int read_string(toy_file* f, char** text, uint64_t* length) {
  if (!read_u64(f, length)) return 0;
  if (toy_bug == 2 ? f->at + *length > f->size : *length > remaining(f)) {
    return 0;
  }
  *text = malloc(*length + 1);
  memcpy(*text, f->data + f->at, *length);
  (*text)[*length] = '\0';
  f->at += *length;
  return 1;
}

static int read_value(toy_file* f, uint32_t type, toy_key* key, int depth);

static int read_numbers(toy_file* f, uint32_t type, uint64_t length) {
  if (toy_bug != 4 && type >= kValueTypes) return 0;
  const uint64_t size = kSizes[type];
  if (size == 0) return 0;
  if (toy_bug == 3 ? length * size > remaining(f)
                   : length > remaining(f) / size) {
    return 0;
  }
  for (uint64_t i = 0; i < length; ++i) touched += f->data[f->at + i * size];
  f->at += length * size;
  return 1;
}

/* The texts of arrays are not kept. */
static int read_array(toy_file* f, int depth) {
  char ahead[1 << 16]; /* A read-ahead buffer, which fills the stack. */
  uint32_t type;
  uint64_t length;
  if (toy_bug != 7 && depth > 4) return 0;
  const size_t n = remaining(f) < sizeof ahead ? remaining(f) : sizeof ahead;
  memcpy(ahead, f->data + f->at, n);
  if (!read_u32(f, &type) || !read_u64(f, &length)) return 0;
  if (type != kString && type != kArray) return read_numbers(f, type, length);
  touched += (uint8_t)ahead[n / 2];
  for (uint64_t i = 0; i < length; ++i) {
    toy_key element = {0};
    if (!read_value(f, type, &element, depth + 1)) return 0;
    if (type != kString) continue;
    touched += (uint8_t)element.value.text[0];
    free(element.value.text);
  }
  return 1;
}

static int read_value(toy_file* f, uint32_t type, toy_key* key, int depth) {
  uint64_t length;
  if (type == kString) return read_string(f, &key->value.text, &length);
  if (type == kArray) return read_array(f, depth);
  if (type >= kValueTypes) return 0;
  return read_bytes(f, &key->value.number, kSizes[type]);
}

static int read_key(toy_file* f, toy_key* key) {
  uint64_t length;
  toy_key read = {0};
  if (!read_string(f, &read.name, &length)) return 0;
  if (!read_u32(f, &read.type) || !read_value(f, read.type, &read, 0)) {
    free(read.name);
    return 0;
  }
  *key = read;
  return 1;
}

static int read_keys(toy_file* f, uint64_t count) {
  if (toy_bug != 1 && count > remaining(f) / 13) return 0;
  f->keys = malloc(count * sizeof *f->keys);
  while (f->key_count < count) {
    if (!read_key(f, &f->keys[f->key_count])) {
      if (toy_bug == 12) f->key_count = count;
      return 0;
    }
    ++f->key_count;
  }
  return 1;
}

static const toy_key* find_key(const toy_file* f, const char* name) {
  for (uint64_t i = 0; i < f->key_count; ++i) {
    if (strcmp(f->keys[i].name, name) == 0) return &f->keys[i];
  }
  return NULL;
}

/* Rejects an architecture without letters. */
static int check_architecture(const toy_file* f) {
  const toy_key* const key = find_key(f, "general.architecture");
  if (key == NULL) return 1;
  if (toy_bug != 11 && key->type != kString) return 0;
  return strlen(key->value.text) > 0;
}

static uint64_t alignment_of(const toy_file* f) {
  const toy_key* const key = find_key(f, "general.alignment");
  if (key == NULL || key->type != 4) return 32;
  return key->value.number & UINT32_MAX;
}

static int read_tensor(toy_file* f, toy_tensor* tensor) {
  uint64_t length;
  uint32_t rank;
  char* name;
  if (!read_string(f, &name, &length)) return 0;
  if (toy_bug == 8 || length < sizeof tensor->name) {
    strcpy(tensor->name, name);
  }
  free(name);
  if (toy_bug != 8 && length >= sizeof tensor->name) return 0;
  if (!read_u32(f, &rank) || (toy_bug != 5 && rank > 4)) return 0;
  for (uint32_t i = 0; i < rank; ++i) {
    if (!read_u64(f, &tensor->dims[i])) return 0;
  }
  return read_u32(f, &tensor->type) && read_u64(f, &tensor->offset);
}

/* Only F32: the multiplication is the same for all types. */
static int check_data(const toy_file* f, const toy_tensor* tensor,
                      size_t data) {
  const uint64_t room = f->size < data ? 0 : f->size - data;
  const uint64_t* const dims = tensor->dims;
  uint64_t rows = 1;
  if (tensor->type != 0) return 1;
  if (dims[0] > room / 4) return 0;
  const uint64_t row = dims[0] * 4;
  for (int i = 1; i < 4; ++i) {
    if (dims[i] == 0 || row == 0) return 1;
    if (toy_bug != 9 && rows > room / row / dims[i]) return 0;
    rows *= dims[i];
  }
  const uint64_t size = rows * row;
  if (toy_bug == 10 ? tensor->offset + size > room
                    : size > room || tensor->offset > room - size) {
    return 0;
  }
  for (uint64_t i = 0; i < rows; ++i) {
    touched += f->data[data + tensor->offset + i * row];
  }
  return 1;
}

static int read_tensors(toy_file* f, uint64_t count) {
  const uint64_t alignment = alignment_of(f);
  if (toy_bug != 6 && alignment == 0) return 0;
  if (count > remaining(f) / 24) return 0;
  toy_tensor* const tensors = calloc(count, sizeof *tensors);
  int ok = 1;
  for (uint64_t i = 0; ok && i < count; ++i) {
    for (int k = 0; k < 4; ++k) tensors[i].dims[k] = 1;
    ok = read_tensor(f, &tensors[i]) && tensors[i].offset % alignment == 0;
  }
  for (uint64_t i = 0; ok && i < count; ++i) {
    const size_t padding = (alignment - f->at % alignment) % alignment;
    ok = check_data(f, &tensors[i], f->at + padding);
  }
  free(tensors);
  return ok;
}

static void free_keys(toy_file* f) {
  for (uint64_t i = 0; i < f->key_count; ++i) {
    if (f->keys[i].type == kString) free(f->keys[i].value.text);
    free(f->keys[i].name);
  }
  free(f->keys);
}

int toy_read(const uint8_t* data, size_t size) {
  toy_file file = {data, size, 0, NULL, 0};
  toy_file* const f = &file;
  char magic[4];
  uint32_t version;
  uint64_t tensors, keys;
  if (!read_bytes(f, magic, 4) || memcmp(magic, "GGUF", 4) != 0 ||
      !read_u32(f, &version) || version < 2 || version > 3 ||
      !read_u64(f, &tensors) || !read_u64(f, &keys)) {
    return 1;
  }
  const int ok =
      read_keys(f, keys) && check_architecture(f) && read_tensors(f, tensors);
  free_keys(f);
  return ok ? 0 : 1;
}
