/* gguf_mutator: changes GGUF files at random, knowing their structure.

   For fuzzing any reader of GGUF.  C++17 and its standard library; a C
   interface.  gguf_fuzz.h connects it to libFuzzer; AFL++ loads it as a shared
   library.  README.md explains how.

   Everything here is deterministic: the same input and seed give the same
   output, on every machine.  Any bytes are accepted, GGUF or not.  No
   state is kept between calls, and calls from several threads are safe.

   SPDX-License-Identifier: Apache-2.0 */

#ifndef GGUF_FUZZ_KIT_GGUF_MUTATOR_H_
#define GGUF_FUZZ_KIT_GGUF_MUTATOR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes the first `size` bytes of `data`, which has room for `max_size`, with
   one or a few of the operators below.  Returns the new size, at most
   `max_size`; 0 only when that is 0.  libFuzzer's LLVMFuzzerCustomMutator has
   the same signature. */
size_t gguf_mutate(uint8_t* data, size_t size, size_t max_size, uint32_t seed);

/* Writes to `names`, which has room for `room` bytes, the names of the
   operators that gguf_mutate applies, each after a space, and a NUL.  Returns
   the length without the NUL. */
size_t gguf_explain(const uint8_t* data, size_t size, size_t max_size, uint32_t seed, char* names,
                    size_t room);

/* Writes a mixture of two files to `out`, which has room for `max_size` and
   overlaps neither.  Returns its size, at most `max_size`. */
size_t gguf_cross_over(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                       uint8_t* out, size_t max_size, uint32_t seed);

/* The operators that gguf_mutate chooses from, for tests and statistics. */
size_t gguf_operator_count(void);

/* "length-lie", "tensor-drop", ...; lives forever.  `op` is below the count.
 */
const char* gguf_operator_name(size_t op);

/* Applies one operator; otherwise like gguf_mutate.  Returns 0 and leaves
   `data` unchanged if the file has nothing that the operator could change, or
   the result would be longer than `max_size`. */
size_t gguf_apply_operator(size_t op, uint8_t* data, size_t size, size_t max_size, uint32_t seed);

/* Makes a model of the file and writes that to `out`, which has room for
   `size` bytes: the same bytes, whatever they are.  Returns the size. */
size_t gguf_rewrite(const uint8_t* data, size_t size, uint8_t* out);

#ifdef __cplusplus
}
#endif

#endif /* GGUF_FUZZ_KIT_GGUF_MUTATOR_H_ */
