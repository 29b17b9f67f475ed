// Llama: the functions of a llama.cpp that are opened at run time, without its
// headers, so that one program runs any build.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_EXTERNAL_LOADER_LLAMA_H_
#define GGUF_CONFORMANCE_EXTERNAL_LOADER_LLAMA_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <string>
#include <vector>

// Any struct that llama.cpp takes or returns by value: it is passed in memory, and
// more bytes than llama.cpp knows do no harm.
struct Params {
  unsigned char bytes[1024];

  template <typename T>
  T Get(size_t at) const {
    T value;
    memcpy(&value, bytes + at, sizeof(T));
    return value;
  }
  template <typename T>
  void Put(size_t at, T value) {
    memcpy(bytes + at, &value, sizeof(T));
  }
};

struct Batch {  // llama_batch
  int32_t n_tokens;
  int32_t* token;
  float* embd;
  int32_t* pos;
  int32_t* n_seq_id;
  int32_t** seq_id;
  int8_t* logits;
};

// Places in llama_context_params.  The booleans' place differs between builds.
constexpr size_t kNCtx = 0, kNBatch = 4, kNUbatch = 8, kThreads = 28, kThreadsBatch = 32,
                 kContextType = 36;
// Of the booleans; programs set swa_full to false.  The other context is that of the
// model for which a draft model drafts.
constexpr size_t kEmbeddings = 0, kSwaFull = 4, kContextOther = 24;

// In llama_model_params: whether the blocks for prediction are loaded.
constexpr size_t kLoadPrediction = 77;

// Places in mtmd_context_params.
constexpr size_t kUseGpu = 0, kPrintTimings = 16, kProjectorThreads = 20;

// As llama.cpp's common_control_vector_data and common_control_vector_load_info.
struct ControlVector {
  int n_embd;
  std::vector<float> data;
};
struct ControlVectorFile {
  float strength;
  std::string name;
};

struct InputText {  // mtmd_input_text
  const char* text;
  size_t length;
  bool add_special;
  bool parse_special;
};

struct Llama {
  Params (*context_default_params)();
  Params (*model_default_params)();
  void* (*model_load_from_file)(const char*, Params);
  void* (*init_from_model)(void*, Params);
  void* (*model_get_vocab)(void*);
  int32_t (*vocab_n_tokens)(void*);
  bool (*model_has_encoder)(void*);
  bool (*model_has_decoder)(void*);
  int32_t (*model_decoder_start_token)(void*);
  int32_t (*model_meta_val_str)(void*, const char*, char*, size_t);
  int32_t (*model_n_embd_inp)(void*);
  int32_t (*model_n_layer)(void*);
  Batch (*batch_get_one)(int32_t*, int32_t);
  int32_t (*encode)(void*, Batch);
  int32_t (*decode)(void*, Batch);
  void (*free)(void*);
  void (*model_free)(void*);
  void (*log_set)(void (*)(int, const char*, void*), void*);
  void (*backend_init)();
  // Null in old builds.
  void* (*adapter_lora_init)(void*, const char*);
  int32_t (*set_adapters_lora)(void*, void**, size_t, float*);
  int32_t (*set_adapter_cvec)(void*, const float*, size_t, int32_t, int32_t, int32_t);
  ControlVector (*load_control_vectors)(
      const std::vector<ControlVectorFile>&);  // Of libllama-common.
  size_t booleans = 0;                         // Their place in llama_context_params.
};

// Null functions where llama.cpp came without libmtmd.
struct Mtmd {
  Params (*context_params_default)();
  void* (*init_from_file)(const char*, void*, Params);
  void (*free)(void*);
  bool (*support_vision)(void*);
  int32_t (*get_audio_sample_rate)(void*);
  const char* (*default_marker)();
  void* (*bitmap_init)(uint32_t, uint32_t, const unsigned char*);
  void* (*bitmap_init_from_audio)(size_t, const float*);
  void (*bitmap_free)(void*);
  void* (*input_chunks_init)();
  size_t (*input_chunks_size)(void*);
  void* (*input_chunks_get)(void*, size_t);
  void (*input_chunks_free)(void*);
  int32_t (*input_chunk_get_type)(void*);
  int32_t (*tokenize)(void*, void*, const InputText*, void**, size_t);
  int32_t (*encode_chunk)(void*, void*);
  void (*helper_log_set)(void (*)(int, const char*, void*), void*);
};

// Prints what failed, and ends the program with 2.
[[noreturn]] void Fail(const std::string& text);

// Open libllama and libmtmd of a folder; `backends` is that of ggml's.
Llama OpenLlama(const std::string& folder, const char* backends);
Mtmd OpenMtmd(const std::string& folder);

#endif  // GGUF_CONFORMANCE_EXTERNAL_LOADER_LLAMA_H_
