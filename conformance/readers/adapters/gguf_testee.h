/* Helper for adapters in C89, C++ and languages that call C: writes the lines
 * of the protocol (docs/reader-protocol.md).
 *
 * Copy this file.  Write a function that reads one file and reports its
 * contents, and pass it to adapter_run():
 *
 *   static void read_file(const char *path) {
 *     my_model *m = my_open(path);
 *     if (m == NULL) { adapter_reject("syntax not a model"); return; }
 *     adapter_key("general.alignment", ADAPTER_TEXT);
 *     adapter_type(4);
 *     adapter_element(4, &m->alignment);
 *     adapter_accept();
 *     my_close(m);
 *   }
 *   int main(void) {
 *     return adapter_run("my-reader", "1.0", "kv", read_file);
 *   }
 *
 * Lines longer than the protocol allows are omitted.  Texts may contain any
 * bytes; pass the size ADAPTER_TEXT for NUL-terminated text.  Types of values
 * and of tensors are their numbers in GGUF.  Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef GGUF_TESTEE_H_
#define GGUF_TESTEE_H_

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if ULONG_MAX / 2 / 2 > 0x3fffffff
typedef unsigned long adapter_u64;
#else
typedef unsigned long long adapter_u64;
#endif

#if defined(__GNUC__)
#define ADAPTER_FUNCTION static __attribute__((unused))
#else
#define ADAPTER_FUNCTION static
#endif

#define ADAPTER_TEXT ((size_t)-1)
#define ADAPTER_MAX_LINE ((size_t)8 << 20)

/* The current line. */
static struct {
  char* text;
  size_t size, room;
  int too_long;
} adapter_line;

/* Lines, word by word ------------------------------------------------------ */

ADAPTER_FUNCTION void adapter_put(const char* text, size_t size) {
  if (adapter_line.too_long || size > ADAPTER_MAX_LINE - adapter_line.size) {
    adapter_line.too_long = 1;
    return;
  }
  if (size > adapter_line.room - adapter_line.size) {
    size_t room = 2 * (adapter_line.size + size) + 256;
    char* grown = (char*)realloc(adapter_line.text, room);
    if (grown == NULL) {
      adapter_line.too_long = 1;
      return;
    }
    adapter_line.text = grown;
    adapter_line.room = room;
  }
  memcpy(adapter_line.text + adapter_line.size, text, size);
  adapter_line.size += size;
}

/* Ends the current line, if any. */
ADAPTER_FUNCTION void adapter_end(void) {
  if (!adapter_line.too_long && adapter_line.size > 0) {
    fwrite(adapter_line.text, 1, adapter_line.size, stdout);
    putchar('\n');
  }
  adapter_line.size = 0;
  adapter_line.too_long = 0;
}

/* Begins a line with its first word: "@kv", "@t". */
ADAPTER_FUNCTION void adapter_begin(const char* first) {
  adapter_end();
  adapter_put(first, strlen(first));
}

ADAPTER_FUNCTION void adapter_word(const char* word) {
  adapter_put(" ", 1);
  adapter_put(word, strlen(word));
}

ADAPTER_FUNCTION void adapter_digits(adapter_u64 number) {
  char digits[24];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + (int)(number % 10));
    number /= 10;
  } while (number != 0);
  adapter_put(digits + at, sizeof digits - at);
}

ADAPTER_FUNCTION void adapter_number(adapter_u64 number) {
  adapter_put(" ", 1);
  adapter_digits(number);
}

/* Writes the lowest `digits` hex digits of a number. */
ADAPTER_FUNCTION void adapter_hex(adapter_u64 number, int digits) {
  char hex[16];
  int i;
  for (i = digits; i-- > 0; number >>= 4) {
    hex[i] = "0123456789abcdef"[number & 15];
  }
  adapter_put(hex, (size_t)digits);
}

/* Writes bytes as a word: a key, a name, a string, data. */
ADAPTER_FUNCTION void adapter_bytes(const void* bytes, size_t size) {
  const unsigned char* at = (const unsigned char*)bytes;
  if (size == ADAPTER_TEXT) size = strlen((const char*)bytes);
  adapter_put(" ", 1);
  if (size == 0) adapter_put("-", 1);
  for (; size > 0 && !adapter_line.too_long; --size) adapter_hex(*at++, 2);
}

ADAPTER_FUNCTION void adapter_text(const char* text) { adapter_bytes(text, ADAPTER_TEXT); }

/* Loads a number of 1, 2, 4 or 8 bytes from memory. */
ADAPTER_FUNCTION adapter_u64 adapter_load(const void* bytes, int size) {
  unsigned char b1;
  unsigned short b2;
  unsigned int b4;
  adapter_u64 b8;
  if (size == 1) return memcpy(&b1, bytes, 1), b1;
  if (size == 2) return memcpy(&b2, bytes, 2), b2;
  if (size == 4) return memcpy(&b4, bytes, 4), b4;
  return memcpy(&b8, bytes, 8), b8;
}

/* The value types, by their number in GGUF.  The size of strings and arrays is
 * 0. */
static const struct {
  const char* name;
  int size;
  char kind; /* u, i, f */
} adapter_types[] = {{"u8", 1, 'u'},  {"i8", 1, 'i'},  {"u16", 2, 'u'}, {"i16", 2, 'i'},
                     {"u32", 4, 'u'}, {"i32", 4, 'i'}, {"f32", 4, 'f'}, {"bool", 1, 'u'},
                     {"str", 0, 'u'}, {"arr", 0, 'u'}, {"u64", 8, 'u'}, {"i64", 8, 'i'},
                     {"f64", 8, 'f'}};

ADAPTER_FUNCTION int adapter_is_type(adapter_u64 type) {
  return type < sizeof adapter_types / sizeof adapter_types[0];
}

/* Keys and values: adapter_key(), then a type or array, then its elements ---
 */

ADAPTER_FUNCTION void adapter_key(const char* key, size_t size) {
  adapter_begin("@kv");
  adapter_bytes(key, size);
}

/* Returns the size of a type's elements, and 0 if it is not fixed. */
ADAPTER_FUNCTION int adapter_size(int type) {
  return type >= 0 && adapter_is_type((adapter_u64)type) ? adapter_types[type].size : 0;
}

/* Writes an element of fixed size.  For a string, use adapter_bytes(); for an
 * array, adapter_inner_array().  If the size is not fixed, the line is omitted.
 */
ADAPTER_FUNCTION void adapter_element(int type, const void* value) {
  const int size = adapter_size(type);
  adapter_u64 number, sign;
  if (size == 0) {
    adapter_line.too_long = 1;
    return;
  }
  number = adapter_load(value, size);
  sign = (adapter_u64)1 << (8 * size - 1);
  adapter_put(" ", 1);
  if (adapter_types[type].kind == 'f') {
    adapter_hex(number, 2 * size);
  } else if (adapter_types[type].kind == 'i' && (number & sign) != 0) {
    adapter_put("-", 1);
    adapter_digits(sign - (number & (sign - 1)));
  } else {
    adapter_digits(number);
  }
}

/* Begins a value that is not an array; its element follows.  If the type is
 * unknown, the line is omitted. */
ADAPTER_FUNCTION void adapter_type(adapter_u64 type) {
  if (adapter_is_type(type)) {
    adapter_word(adapter_types[type].name);
  } else {
    adapter_line.too_long = 1;
  }
}

/* Begins an array in an array; its elements follow. */
ADAPTER_FUNCTION void adapter_inner_array(adapter_u64 type, adapter_u64 count) {
  adapter_type(type);
  adapter_number(count);
}

/* Begins an array; its elements follow. */
ADAPTER_FUNCTION void adapter_array(adapter_u64 type, adapter_u64 count) {
  adapter_word("arr");
  adapter_inner_array(type, count);
}

/* Writes consecutive elements from memory. */
ADAPTER_FUNCTION void adapter_elements(int type, adapter_u64 count, const void* values) {
  const char* at = (const char*)values;
  for (; count > 0 && !adapter_line.too_long; --count) {
    adapter_element(type, at);
    at += adapter_size(type);
  }
}

/* Tensors ------------------------------------------------------------------ */

/* Writes a tensor info; `offset` is relative to the data section. */
ADAPTER_FUNCTION void adapter_tensor(const char* name, size_t size, adapter_u64 type,
                                     adapter_u64 offset, int n_dims, const adapter_u64* dims) {
  int i;
  adapter_begin("@t");
  adapter_bytes(name, size);
  adapter_number(type);
  adapter_number(offset);
  adapter_number((adapter_u64)n_dims);
  for (i = 0; i < n_dims; ++i) adapter_number(dims[i]);
}

/* Writes a tensor's bytes, as stored in the file. */
ADAPTER_FUNCTION void adapter_data(const char* name, size_t size, const void* bytes,
                                   size_t data_size) {
  adapter_begin("@d");
  adapter_bytes(name, size);
  adapter_bytes(bytes, data_size);
}

ADAPTER_FUNCTION void adapter_weights(const char* name, size_t size, const float* weights,
                                      adapter_u64 count) {
  adapter_begin("@q");
  adapter_bytes(name, size);
  adapter_elements(6, count, weights);
}

/* Verdicts: one for each file, at the end ---------------------------------- */

/* Replaces the current line, which may be incomplete. */
ADAPTER_FUNCTION void adapter_verdict(const char* first, const char* text) {
  adapter_line.size = 0;
  adapter_begin(first);
  adapter_put(" ", 1);
  for (; *text != '\0'; ++text) adapter_put(*text == '\n' ? " " : text, 1);
  adapter_end();
}

ADAPTER_FUNCTION void adapter_accept(void) {
  adapter_begin("@accept");
  adapter_end();
}

/* The text begins with a class, one word: "syntax the magic is wrong". */
ADAPTER_FUNCTION void adapter_reject(const char* class_and_text) {
  adapter_verdict("@reject", class_and_text);
}

ADAPTER_FUNCTION void adapter_skip(const char* text) { adapter_verdict("@skip", text); }

/* Sends the greeting and calls `read_file` for each path.  Returns the result
 * of main(). */
ADAPTER_FUNCTION int adapter_run(const char* name, const char* version, const char* capabilities,
                                 void (*read_file)(const char* path)) {
  static char path[1 << 16];
  printf("@gguf-testee 1 %s %s %s\n", name, version, capabilities);
  fflush(stdout);
  while (fgets(path, sizeof path, stdin) != NULL) {
    path[strcspn(path, "\n")] = '\0';
    read_file(path);
    if (fflush(stdout) != 0) return 1;
  }
  return 0;
}

#endif /* GGUF_TESTEE_H_ */
