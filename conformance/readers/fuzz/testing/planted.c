/* A small reader of GGUF 2 and 3 with its adapter.  Each argument plants a bug
 * that real readers had; without any, the reader is correct.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stdlib.h>
#include <string.h>

#include "conformance/readers/adapters/gguf_testee.h"

typedef unsigned long long u64;

static const char* const kBugs[] = {"count",     "length", "element", "array",  "nesting",
                                    "alignment", "rank",   "product", "second", "offset"};
enum {
  kCount,
  kLength,
  kElement,
  kArray,
  kNesting,
  kAlignment,
  kRank,
  kProduct,
  kSecond,
  kOffset,
  kBugCount
};
static int planted[kBugCount];

static const unsigned char kSizes[13] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

typedef struct {
  const unsigned char* data;
  u64 size, at, alignment;
} input;

typedef struct {
  u64 first, last, unused[4]; /* 48 bytes. */
} entry;

typedef struct {
  char* name;
  u64 dims[4], offset;
  unsigned rank, type;
} tensor;

static volatile unsigned char touched;

static u64 left(const input* in) { return in->size - in->at; }

/* Reads a number of 4 or 8 bytes. */
static int number(input* in, int width, u64* value) {
  int i;
  if (left(in) < (u64)width) return 0;
  *value = 0;
  for (i = width; i-- > 0;) *value = *value << 8 | in->data[in->at + i];
  in->at += width;
  return 1;
}

/* Class 10: the length of all ones wraps. */
static char* copy_text(input* in, u64 length) {
  char* const text = malloc(length + 1);
  memcpy(text, in->data + in->at, length);
  text[length] = 0;
  in->at += length;
  return text;
}

static char* read_text(input* in, int trusts_length) {
  u64 length;
  if (!number(in, 8, &length)) return NULL;
  if (length > left(in) && !(trusts_length && length + 1 == 0)) return NULL;
  return copy_text(in, length);
}

/* Class 18: elements of an unknown type take no bytes. */
static void skip_unknown(u64 count) {
  volatile u64 i;
  for (i = 0; i < count; ++i) touched = 0;
}

/* Class 19: the product wraps. */
static void touch_elements(const input* in, u64 count, u64 size) {
  u64 i;
  for (i = 0; i < count; ++i) touched = in->data[in->at + i * size];
}

static int read_value(input* in, u64 type, int depth, u64* value);

/* Class 21: no bound on the depth; the buffer fills the stack soon. */
static int read_array(input* in, int depth) {
  volatile unsigned char ahead[1 << 19];
  u64 type, count, i, unused;
  ahead[0] = in->size & 0xFF;
  touched = ahead[0];
  if (depth > (planted[kNesting] ? 1000 : 3)) return 0;
  if (!number(in, 4, &type) || !number(in, 8, &count)) return 0;
  if (type >= 13) {
    if (!planted[kElement]) return 0;
    skip_unknown(count);
    return 0;
  }
  if (type == 8 || type == 9) {
    for (i = 0; i < count; ++i) {
      if (!read_value(in, type, depth, &unused)) return 0;
    }
    return 1;
  }
  if (planted[kArray] ? count * kSizes[type] > left(in) : count > left(in) / kSizes[type]) return 0;
  touch_elements(in, count, kSizes[type]);
  in->at += count * kSizes[type];
  return 1;
}

static int read_value(input* in, u64 type, int depth, u64* value) {
  char* text;
  if (type >= 13) return 0;
  if (type == 9) return read_array(in, depth + 1);
  if (type == 8) {
    text = read_text(in, planted[kLength]);
    free(text);
    return text != NULL;
  }
  if (kSizes[type] >= 4) return number(in, kSizes[type], value);
  if (left(in) < kSizes[type]) return 0;
  in->at += kSizes[type];
  return 1;
}

/* Class 5: the size of the table wraps. */
static void add_entry(entry* table, u64 at, u64 begin, u64 end) {
  table[at].first = begin;
  table[at].last = end;
}

static int read_keys(input* in, u64 count) {
  u64 i, type, value = 0;
  entry* table;
  int ok = 1;
  if (!planted[kCount] && count > left(in) / 13) return 0;
  if (count * sizeof(entry) > 1 << 20) return 0;
  table = malloc(count * sizeof(entry));
  for (i = 0; ok && i < count; ++i) {
    const u64 begin = in->at;
    char* const name = read_text(in, 0);
    ok = name != NULL && name[0] != 0 && number(in, 4, &type) && read_value(in, type, 0, &value);
    if (ok && strcmp(name, "general.alignment") == 0) {
      ok = type == 4 && (value != 0 || planted[kAlignment]) && (value & (value - 1)) == 0;
      if (in->alignment != 0) in->alignment = value;
    }
    if (ok) add_entry(table, i, begin, in->at);
    free(name);
  }
  free(table);
  return ok;
}

/* Class 32: more dimensions than there is room for. */
static int read_dims(input* in, u64* dims, u64 rank) {
  u64 i;
  for (i = 0; i < rank; ++i) {
    if (!number(in, 8, &dims[i])) return 0;
  }
  return 1;
}

static int read_tensor(input* in, tensor* t) {
  u64 rank, type;
  u64* const dims = malloc(4 * sizeof(u64));
  int ok;
  t->name = read_text(in, 0);
  ok = t->name != NULL && number(in, 4, &rank) && (rank <= 4 || planted[kRank]) &&
       read_dims(in, dims, rank) && number(in, 4, &type) && number(in, 8, &t->offset);
  if (ok) {
    t->rank = rank < 4 ? rank : 4;
    t->type = type;
    memcpy(t->dims, dims, t->rank * sizeof(u64));
  }
  free(dims);
  return ok;
}

/* Class 27: the remainder of a division by 0. */
static u64 padding(u64 at, u64 alignment) { return (alignment - at % alignment) % alignment; }

/* Class 36: the product is 0, and the first row is read. */
static void touch_row(const unsigned char* data, u64 row) {
  if (row > 0) touched = data[row * 4 - 1];
}

/* Class 53: the sum wraps, and is beyond the table of used blocks. */
static void mark_used(u64 room, u64 alignment, u64 offset) {
  char* const used = calloc(room / alignment + 1, 1);
  used[offset / alignment] = 1;
  touched = used[offset / alignment];
  free(used);
}

/* Checks the data of a tensor of floats. */
static int check_data(const input* in, const tensor* t, u64 begin) {
  const u64 room = in->size < begin ? 0 : in->size - begin;
  u64 elements = 1;
  unsigned i;
  if (t->offset % in->alignment != 0) return 0;
  for (i = 0; i < t->rank; ++i) {
    if (t->dims[i] == 0) return 1;
    if (elements > room * 8 / t->dims[i] && !planted[kProduct]) return 0;
    elements *= t->dims[i];
  }
  if (t->type != 0) return elements > 0;
  if (planted[kProduct] && elements == 0 && t->dims[0] > room / 4) {
    touch_row(in->data + begin, t->dims[0]);
    return 0;
  }
  if (elements > room / 4) return 0;
  if (planted[kOffset] ? t->offset + elements * 4 > room
                       : t->offset > room || elements * 4 > room - t->offset) {
    return 0;
  }
  if (elements > 0) mark_used(room, in->alignment, t->offset);
  return 1;
}

/* Class 49: the name of the second tensor is missing. */
static int same_name(const char* a, const char* b) { return strcmp(a, b) == 0; }

static int read_tensors(input* in, u64 count) {
  tensor* tensors;
  u64 i;
  int ok = 1;
  if (count > left(in) / 24) return 0;
  if (in->alignment == 0 && count == 0) return 0;
  tensors = calloc(count + 1, sizeof(tensor));
  for (i = 0; ok && i < count; ++i) {
    ok = read_tensor(in, &tensors[i]);
    if (i == 1 && tensors[1].name == NULL && planted[kSecond]) {
      same_name(tensors[0].name, tensors[1].name);
    }
  }
  if (ok && count > 0) {
    const u64 begin = in->at + padding(in->at, in->alignment);
    for (i = 0; ok && i < count; ++i) ok = check_data(in, &tensors[i], begin);
  }
  for (i = 0; i < count; ++i) free(tensors[i].name);
  free(tensors);
  return ok;
}

static int read_file(input* in) {
  u64 version, tensors, keys;
  if (in->size < 4 || memcmp(in->data, "GGUF", 4) != 0) return 0;
  in->at = 4;
  return number(in, 4, &version) && (version == 2 || version == 3) && number(in, 8, &tensors) &&
         number(in, 8, &keys) && read_keys(in, keys) && read_tensors(in, tensors);
}

static void read_one(const char* path) {
  input in = {NULL, 0, 0, 32};
  char text[80];
  FILE* const file = fopen(path, "rb");
  unsigned char* data;
  if (file == NULL) {
    adapter_reject("io cannot open it");
    return;
  }
  fseek(file, 0, SEEK_END);
  in.size = ftell(file);
  rewind(file);
  data = malloc(in.size);
  if (fread(data, 1, in.size, file) != in.size) in.size = 0;
  fclose(file);
  in.data = data;
  if (read_file(&in)) {
    adapter_accept();
  } else {
    sprintf(text, "syntax wrong at byte %llu", in.at);
    adapter_reject(text);
  }
  free(data);
}

int main(int argc, char** argv) {
  int i, bug;
  for (i = 1; i < argc; ++i) {
    for (bug = 0; bug < kBugCount; ++bug) {
      if (strcmp(argv[i], kBugs[bug]) == 0 || strcmp(argv[i], "all") == 0) planted[bug] = 1;
    }
  }
  return adapter_run("planted", "1", "-", read_one);
}
