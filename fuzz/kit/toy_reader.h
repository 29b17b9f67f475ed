/* A reader of GGUF with twelve bugs, to measure fuzzers with.  Each has hurt a
   real reader.

     1  the table of keys is allocated for an unchecked count
     2  a string's length is added to the position, and the sum wraps
     3  an array's length is multiplied by the size of an element, and wraps
     4  the size of an element is looked up by an unchecked type
     5  dimensions are copied into an array of four, however many there are
     6  an offset is divided by an alignment of zero
     7  arrays in arrays are read by recursion without bound
     8  a tensor's name is copied into 64 bytes, however long it is
     9  the number of rows is multiplied by their size, and wraps
    10  a tensor's offset is added to its size, and the sum wraps
    11  general.architecture is read as a string, whatever its type
    12  for a truncated file, keys that were never read are freed

   SPDX-License-Identifier: Apache-2.0 */

#ifndef GGUF_FUZZ_KIT_TOY_READER_H_
#define GGUF_FUZZ_KIT_TOY_READER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kToyBugs = 12 };

/* The enabled bug: 1..12; 0, the initial value, for none. */
extern int toy_bug;

/* Reads versions 2 and 3, little endian.  Returns 0 when it accepts the file,
   after looking at each key, each row of each tensor. */
int toy_read(const uint8_t* data, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* GGUF_FUZZ_KIT_TOY_READER_H_ */
