/* Makes a testee of a reader of GGUF files: the lines of the protocol
 * (docs/reader-protocol.md), for C89, C++ and whatever calls C.
 *
 * Copy this file.  Write a function that reads one file and says what is in it,
 * and hand it to testee_run():
 *
 *   static void read_file(const char *path) {
 *     my_model *m = my_open(path);
 *     if (m == NULL) { testee_reject("syntax no model"); return; }
 *     testee_key("general.alignment", TESTEE_TEXT);
 *     testee_type(4);
 *     testee_element(4, &m->alignment);
 *     testee_accept();
 *     my_close(m);
 *   }
 *   int main(void) {
 *     return testee_run("my-reader", "1.0", "kv", read_file);
 *   }
 *
 * A line that would be longer than the protocol allows is left out.  Texts may
 * hold any bytes; a size of TESTEE_TEXT is for those that end with a NUL.
 * Types of values and of tensors are their numbers in GGUF.  Not for several
 * threads.
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
typedef unsigned long testee_u64;
#else
typedef unsigned long long testee_u64;
#endif

#if defined(__GNUC__)
#define TESTEE_FUNCTION static __attribute__((unused))
#else
#define TESTEE_FUNCTION static
#endif

#define TESTEE_TEXT ((size_t)-1)
#define TESTEE_MAX_LINE ((size_t)8 << 20)

/* The line that is being written. */
static struct {
  char* text;
  size_t size, room;
  int too_long;
} testee_line;

/* Lines, word by word ------------------------------------------------------ */

TESTEE_FUNCTION void testee_put(const char* text, size_t size) {
  if (testee_line.too_long || size > TESTEE_MAX_LINE - testee_line.size) {
    testee_line.too_long = 1;
    return;
  }
  if (size > testee_line.room - testee_line.size) {
    size_t room = 2 * (testee_line.size + size) + 256;
    char* grown = (char*)realloc(testee_line.text, room);
    if (grown == NULL) {
      testee_line.too_long = 1;
      return;
    }
    testee_line.text = grown;
    testee_line.room = room;
  }
  memcpy(testee_line.text + testee_line.size, text, size);
  testee_line.size += size;
}

/* Ends the line that was begun, if any. */
TESTEE_FUNCTION void testee_end(void) {
  if (!testee_line.too_long && testee_line.size > 0) {
    fwrite(testee_line.text, 1, testee_line.size, stdout);
    putchar('\n');
  }
  testee_line.size = 0;
  testee_line.too_long = 0;
}

/* Ends the last line and begins one with its first word: "@kv", "@t". */
TESTEE_FUNCTION void testee_begin(const char* first) {
  testee_end();
  testee_put(first, strlen(first));
}

TESTEE_FUNCTION void testee_word(const char* word) {
  testee_put(" ", 1);
  testee_put(word, strlen(word));
}

TESTEE_FUNCTION void testee_digits(testee_u64 number) {
  char digits[24];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + (int)(number % 10));
    number /= 10;
  } while (number != 0);
  testee_put(digits + at, sizeof digits - at);
}

TESTEE_FUNCTION void testee_number(testee_u64 number) {
  testee_put(" ", 1);
  testee_digits(number);
}

/* The lowest `digits` digits of a number in hex. */
TESTEE_FUNCTION void testee_hex(testee_u64 number, int digits) {
  char hex[16];
  int i;
  for (i = digits; i-- > 0; number >>= 4) {
    hex[i] = "0123456789abcdef"[number & 15];
  }
  testee_put(hex, (size_t)digits);
}

/* Bytes as a word: a key, a name, a string, data. */
TESTEE_FUNCTION void testee_bytes(const void* bytes, size_t size) {
  const unsigned char* at = (const unsigned char*)bytes;
  if (size == TESTEE_TEXT) size = strlen((const char*)bytes);
  testee_put(" ", 1);
  if (size == 0) testee_put("-", 1);
  for (; size > 0 && !testee_line.too_long; --size) testee_hex(*at++, 2);
}

TESTEE_FUNCTION void testee_text(const char* text) {
  testee_bytes(text, TESTEE_TEXT);
}

/* A number of 1, 2, 4 or 8 bytes, as it stands in memory. */
TESTEE_FUNCTION testee_u64 testee_load(const void* bytes, int size) {
  unsigned char b1;
  unsigned short b2;
  unsigned int b4;
  testee_u64 b8;
  if (size == 1) return memcpy(&b1, bytes, 1), b1;
  if (size == 2) return memcpy(&b2, bytes, 2), b2;
  if (size == 4) return memcpy(&b4, bytes, 4), b4;
  return memcpy(&b8, bytes, 8), b8;
}

/* The types of values, by their number in GGUF; of strings and arrays, which
 * have none, the size is 0. */
static const struct {
  const char* name;
  int size;
  char kind; /* u, i, f */
} testee_types[] = {{"u8", 1, 'u'},  {"i8", 1, 'i'},   {"u16", 2, 'u'},
                    {"i16", 2, 'i'}, {"u32", 4, 'u'},  {"i32", 4, 'i'},
                    {"f32", 4, 'f'}, {"bool", 1, 'u'}, {"str", 0, 'u'},
                    {"arr", 0, 'u'}, {"u64", 8, 'u'},  {"i64", 8, 'i'},
                    {"f64", 8, 'f'}};

TESTEE_FUNCTION int testee_is_type(testee_u64 type) {
  return type < sizeof testee_types / sizeof testee_types[0];
}

/* Keys and values: testee_key(), then a type or array, then its elements --- */

TESTEE_FUNCTION void testee_key(const char* key, size_t size) {
  testee_begin("@kv");
  testee_bytes(key, size);
}

/* An element of fixed size.  For one that is a string: testee_bytes(). */
TESTEE_FUNCTION void testee_element(int type, const void* value) {
  const int size = testee_types[type].size;
  const testee_u64 number = testee_load(value, size);
  const testee_u64 sign = (testee_u64)1 << (8 * size - 1);
  testee_put(" ", 1);
  if (testee_types[type].kind == 'f') {
    testee_hex(number, 2 * size);
  } else if (testee_types[type].kind == 'i' && (number & sign) != 0) {
    testee_put("-", 1);
    testee_digits(sign - (number & (sign - 1)));
  } else {
    testee_digits(number);
  }
}

/* Begins a value that is no array; its element comes next.  Of a type that
 * there is not, nothing can be said: the line is left out. */
TESTEE_FUNCTION void testee_type(testee_u64 type) {
  if (testee_is_type(type)) {
    testee_word(testee_types[type].name);
  } else {
    testee_line.too_long = 1;
  }
}

/* Begins an array in an array; its elements come next. */
TESTEE_FUNCTION void testee_inner_array(testee_u64 type, testee_u64 count) {
  testee_type(type);
  testee_number(count);
}

/* Begins an array; its elements come next. */
TESTEE_FUNCTION void testee_array(testee_u64 type, testee_u64 count) {
  testee_word("arr");
  testee_inner_array(type, count);
}

/* Elements, one after the other in memory. */
TESTEE_FUNCTION void testee_elements(int type, testee_u64 count,
                                     const void* values) {
  const char* at = (const char*)values;
  for (; count > 0 && !testee_line.too_long; --count) {
    testee_element(type, at);
    at += testee_types[type].size;
  }
}

/* Tensors ------------------------------------------------------------------ */

/* `offset` is relative to the data section. */
TESTEE_FUNCTION void testee_tensor(const char* name, size_t size,
                                   testee_u64 type, testee_u64 offset,
                                   int n_dims, const testee_u64* dims) {
  int i;
  testee_begin("@t");
  testee_bytes(name, size);
  testee_number(type);
  testee_number(offset);
  testee_number((testee_u64)n_dims);
  for (i = 0; i < n_dims; ++i) testee_number(dims[i]);
}

/* A tensor's bytes as they stand in the file. */
TESTEE_FUNCTION void testee_data(const char* name, size_t size,
                                 const void* bytes, size_t data_size) {
  testee_begin("@d");
  testee_bytes(name, size);
  testee_bytes(bytes, data_size);
}

TESTEE_FUNCTION void testee_weights(const char* name, size_t size,
                                    const float* weights, testee_u64 count) {
  testee_begin("@q");
  testee_bytes(name, size);
  testee_elements(6, count, weights);
}

/* Verdicts: one for each file, at the end ---------------------------------- */

/* Instead of the last line, which may be only half written. */
TESTEE_FUNCTION void testee_verdict(const char* first, const char* text) {
  testee_line.size = 0;
  testee_begin(first);
  testee_put(" ", 1);
  for (; *text != '\0'; ++text) testee_put(*text == '\n' ? " " : text, 1);
  testee_end();
}

TESTEE_FUNCTION void testee_accept(void) {
  testee_begin("@accept");
  testee_end();
}

/* Begins with a class, one word: "syntax the magic is wrong". */
TESTEE_FUNCTION void testee_reject(const char* class_and_text) {
  testee_verdict("@reject", class_and_text);
}

TESTEE_FUNCTION void testee_skip(const char* text) {
  testee_verdict("@skip", text);
}

/* Greets, and calls `read_file` for each path until there are no more.  Returns
 * what main() should. */
TESTEE_FUNCTION int testee_run(const char* name, const char* version,
                               const char* capabilities,
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
