/* What headers of Abseil and RE2 name of POSIX threads.  WASI has none: there
 * is one thread, so nothing waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef GGUF_THIRD_PARTY_CROSS_WASM_PTHREAD_H_
#define GGUF_THIRD_PARTY_CROSS_WASM_PTHREAD_H_

#include <sys/types.h> /* The types. */

#ifdef __cplusplus
extern "C" {
#endif

#define PTHREAD_RWLOCK_INITIALIZER \
  {                                \
    {                              \
      { 0 }                        \
    }                              \
  }

static inline int pthread_rwlock_init(pthread_rwlock_t* lock, const void* unused) {
  (void)lock, (void)unused;
  return 0;
}
static inline int pthread_rwlock_destroy(pthread_rwlock_t* lock) { return (void)lock, 0; }
static inline int pthread_rwlock_rdlock(pthread_rwlock_t* lock) { return (void)lock, 0; }
static inline int pthread_rwlock_wrlock(pthread_rwlock_t* lock) { return (void)lock, 0; }
static inline int pthread_rwlock_unlock(pthread_rwlock_t* lock) { return (void)lock, 0; }

#ifdef __cplusplus
}
#endif

#endif /* GGUF_THIRD_PARTY_CROSS_WASM_PTHREAD_H_ */
