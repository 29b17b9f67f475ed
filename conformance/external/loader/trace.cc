// Forwards functions of ggml to its library.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/external/loader/trace.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

namespace {

struct Tensor {  // The beginning of ggml_tensor.
  int type;
  void* buffer;
  int64_t dims[4];
  size_t strides[4];
  int op;
  int32_t op_params[16];
  int32_t flags;
  Tensor* sources[10];
  Tensor* view_source;
  size_t view_offset;
  void* data;
  char name[64];
};

void* library = nullptr;
bool tracing = false;
// Loaders also go through the names in the file.
const char* listed_name = nullptr;
int operations = 0;
char last_operation[1024];

template <typename F>
F Next(const char* name) {
  void* function = library == nullptr ? nullptr : dlsym(library, name);
  if (function == nullptr) {
    fprintf(stderr, "run_models: ggml has no %s\n", name);
    abort();
  }
  return reinterpret_cast<F>(function);
}

// Of a computed tensor, the weight from which it was computed last.
const Tensor* WeightOf(const Tensor* tensor) {
  static const auto op_name = Next<const char* (*)(int)>("ggml_op_name");
  for (int steps = 0; tensor != nullptr && tensor->op != 0 && steps < 1000; ++steps) {
    const bool multiplied = strcmp(op_name(tensor->op), "MUL_MAT") == 0;
    const Tensor* next = tensor->sources[0] != nullptr ? tensor->sources[0] : tensor->view_source;
    if (multiplied && next != nullptr && next->op == 0) return next;
    tensor = next;
  }
  return tensor;
}

void Add(const Tensor* operand) {
  const size_t at = strlen(last_operation);
  const size_t rest = sizeof(last_operation) - at;
  if (operand == nullptr) {
    snprintf(last_operation + at, rest, " null");
    return;
  }
  const Tensor* weight = WeightOf(operand);
  const auto& dims = operand->dims;
  snprintf(last_operation + at, rest, " %s%.64s[%ld,%ld,%ld,%ld]", operand->op == 0 ? "" : "~",
           weight == nullptr ? "" : weight->name, dims[0], dims[1], dims[2], dims[3]);
}

void Add(int64_t dim) {
  const size_t at = strlen(last_operation);
  snprintf(last_operation + at, sizeof(last_operation) - at, " %ld", dim);
}

template <typename... Operands>
void Note(const char* operation, Operands... operands) {
  if (!tracing) return;
  snprintf(last_operation, sizeof(last_operation), "trace: op %d %s", ++operations, operation);
  (Add(operands), ...);
}

void Died(int number) {
  (void)!write(STDERR_FILENO, last_operation, strlen(last_operation));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(number, SIG_DFL);
  raise(number);
}

// Tells that an operand is repeated, because it has fewer elements than the other one.
void NoteRepeated(const Tensor* a, const Tensor* b) {
  if (!tracing || a == nullptr || b == nullptr) return;
  if (b->dims[0] != 1 && b->dims[0] != a->dims[0] && a->dims[0] % b->dims[0] == 0) {
    fprintf(stderr, "%s repeats\n", last_operation);
  }
}

const char* NameOf(const void* gguf, int64_t id) {
  static const auto get_key = Next<const char* (*)(const void*, int64_t)>("gguf_get_key");
  return get_key(gguf, id);
}

}  // namespace

void ForwardTo(void* ggml_base) { library = ggml_base; }

void SetTracing(bool on) {
  tracing = on;
  last_operation[0] = 0;
  operations = 0;
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) signal(number, on ? Died : SIG_DFL);
}

extern "C" {

int64_t gguf_find_key(const void* gguf, const char* name) {
  static const auto next = Next<decltype(&gguf_find_key)>("gguf_find_key");
  if (tracing) fprintf(stderr, "trace: key %s \n", name);
  return next(gguf, name);
}

#define READS(function, result, type)                                                      \
  result function(const void* gguf, int64_t id) {                                          \
    static const auto next = Next<decltype(&function)>(#function);                         \
    if (tracing && id >= 0) fprintf(stderr, "trace: key %s %s\n", NameOf(gguf, id), type); \
    return next(gguf, id);                                                                 \
  }
READS(gguf_get_val_u8, uint8_t, "u8")
READS(gguf_get_val_u16, uint16_t, "u16")
READS(gguf_get_val_u32, uint32_t, "u32")
READS(gguf_get_val_u64, uint64_t, "u64")
READS(gguf_get_val_i32, int32_t, "i32")
READS(gguf_get_val_f32, float, "f32")
READS(gguf_get_val_bool, bool, "bool")
READS(gguf_get_val_str, const char*, "str")
READS(gguf_get_arr_type, int, "arr")

const char* gguf_get_tensor_name(const void* gguf, int64_t id) {
  static const auto next = Next<decltype(&gguf_get_tensor_name)>("gguf_get_tensor_name");
  return listed_name = next(gguf, id);
}

Tensor* ggml_get_tensor(void* context, const char* name) {
  static const auto next = Next<decltype(&ggml_get_tensor)>("ggml_get_tensor");
  if (tracing && name != listed_name) fprintf(stderr, "trace: tensor %s\n", name);
  return next(context, name);
}

#define ELEMENTWISE(name)                                                 \
  Tensor* ggml_##name(void* c, Tensor* a, Tensor* b) {                    \
    static const auto next = Next<decltype(&ggml_##name)>("ggml_" #name); \
    Note(#name, a, b);                                                    \
    NoteRepeated(a, b);                                                   \
    return next(c, a, b);                                                 \
  }
#define OPERATION(name, second, parameters, arguments)                    \
  Tensor* ggml_##name parameters {                                        \
    static const auto next = Next<decltype(&ggml_##name)>("ggml_" #name); \
    Note(#name, a, second);                                               \
    return next arguments;                                                \
  }
#define UNARY(name, parameters, arguments)                                \
  Tensor* ggml_##name parameters {                                        \
    static const auto next = Next<decltype(&ggml_##name)>("ggml_" #name); \
    Note(#name, a);                                                       \
    return next arguments;                                                \
  }
#define BINARY(name) OPERATION(name, b, (void* c, Tensor* a, Tensor* b), (c, a, b))
ELEMENTWISE(add)
ELEMENTWISE(sub)
ELEMENTWISE(mul)
ELEMENTWISE(div)
BINARY(mul_mat)
BINARY(repeat)
BINARY(get_rows)
BINARY(geglu_split)
BINARY(geglu_erf_split)
BINARY(geglu_quick_split)
BINARY(swiglu_split)
OPERATION(mul_mat_id, b, (void* c, Tensor* a, Tensor* b, Tensor* ids), (c, a, b, ids))
OPERATION(concat, b, (void* c, Tensor* a, Tensor* b, int dim), (c, a, b, dim))
OPERATION(conv_1d, b, (void* c, Tensor* a, Tensor* b, int s, int p, int d), (c, a, b, s, p, d))
OPERATION(conv_1d_dw, b, (void* c, Tensor* a, Tensor* b, int s, int p, int d), (c, a, b, s, p, d))
OPERATION(conv_1d_ph, b, (void* c, Tensor* a, Tensor* b, int s, int d), (c, a, b, s, d))
#define CONV_2D(name)                                                                           \
  OPERATION(name, b, (void* c, Tensor* a, Tensor* b, int s, int t, int p, int q, int d, int e), \
            (c, a, b, s, t, p, q, d, e))
CONV_2D(conv_2d)
CONV_2D(conv_2d_dw)
CONV_2D(conv_2d_direct)
CONV_2D(conv_2d_dw_direct)
#define RESHAPE(name, parameters, ...)                                    \
  Tensor* ggml_##name parameters {                                        \
    static const auto next = Next<decltype(&ggml_##name)>("ggml_" #name); \
    Note(#name, a, __VA_ARGS__);                                          \
    return next(c, a, __VA_ARGS__);                                       \
  }
RESHAPE(reshape_1d, (void* c, Tensor* a, int64_t x), x)
RESHAPE(reshape_2d, (void* c, Tensor* a, int64_t x, int64_t y), x, y)
RESHAPE(reshape_3d, (void* c, Tensor* a, int64_t x, int64_t y, int64_t z), x, y, z)
RESHAPE(reshape_4d, (void* c, Tensor* a, int64_t x, int64_t y, int64_t z, int64_t w), x, y, z, w)
UNARY(permute, (void* c, Tensor* a, int x, int y, int z, int w), (c, a, x, y, z, w))
UNARY(transpose, (void* c, Tensor* a), (c, a))
UNARY(cont, (void* c, Tensor* a), (c, a))
UNARY(norm, (void* c, Tensor* a, float e), (c, a, e))
UNARY(rms_norm, (void* c, Tensor* a, float e), (c, a, e))
UNARY(view_2d, (void* c, Tensor* a, int64_t x, int64_t y, size_t n, size_t o), (c, a, x, y, n, o))
UNARY(view_3d, (void* c, Tensor* a, int64_t x, int64_t y, int64_t z, size_t n, size_t m, size_t o),
      (c, a, x, y, z, n, m, o))

}  // extern "C"
