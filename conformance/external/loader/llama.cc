// Opens the libraries of a llama.cpp.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/external/loader/llama.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "conformance/external/loader/trace.h"

namespace {

constexpr unsigned char kUsualBooleans[] = {0, 1, 1, 1, 1, 0};

// Returns null if the folder has no such library.
void* Open(const std::string& folder, const std::string& name) {
  for (const char* pattern : {".so", ".so.*", ".v*.so"}) {
    glob_t found;
    if (glob((folder + "/" + name + pattern).c_str(), 0, nullptr, &found) == 0) {
      if (void* library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL)) return library;
      Fail(dlerror());
    }
  }
  return nullptr;
}

// Sets the function to null if there is none.
template <typename F>
void Look(void* library, const std::string& name, F& function) {
  function = library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name.c_str()));
}

template <typename F>
void Find(void* library, const std::string& name, F& function) {
  Look(library, name, function);
  if (function == nullptr) Fail("no library has the function " + name);
}

}  // namespace

void Fail(const std::string& text) {
  std::cerr << "run_models: " << text << "\n";
  exit(2);
}

Llama OpenLlama(const std::string& folder, const char* backends) {
  ForwardTo(Open(folder, "libggml-base"));
  void* ggml = Open(folder, "libggml");
  void* library = Open(folder, "libllama");
  Llama llama;
#define FIND(name) Find(library, "llama_" #name, llama.name)
  FIND(context_default_params);
  FIND(model_default_params);
  FIND(model_load_from_file);
  FIND(init_from_model);
  FIND(model_get_vocab);
  FIND(vocab_n_tokens);
  FIND(model_has_encoder);
  FIND(model_has_decoder);
  FIND(model_decoder_start_token);
  FIND(model_meta_val_str);
  FIND(model_n_embd_inp);
  FIND(model_n_layer);
  FIND(batch_get_one);
  FIND(encode);
  FIND(decode);
  FIND(free);
  FIND(model_free);
  FIND(log_set);
  FIND(backend_init);
#undef FIND
  Look(library, "llama_adapter_lora_init", llama.adapter_lora_init);
  Look(library, "llama_set_adapters_lora", llama.set_adapters_lora);
  Look(library, "llama_set_adapter_cvec", llama.set_adapter_cvec);
  Look(Open(folder, "libllama-common"),
       "_Z26common_control_vector_loadRKSt6vectorI31common_control_vector_load_infoSaIS0_EE",
       llama.load_control_vectors);
  void (*load_backends)(const char*);
  Find(ggml, "ggml_backend_load_all_from_path", load_backends);
  load_backends(backends);
  llama.backend_init();

  const Params usual = llama.context_default_params();
  const auto* found = std::search(usual.bytes + 112, usual.bytes + 256, std::begin(kUsualBooleans),
                                  std::end(kUsualBooleans));
  llama.booleans = static_cast<size_t>(found - usual.bytes);
  if (llama.booleans == 256 || usual.Get<uint32_t>(kNCtx) != 512 ||
      usual.Get<uint32_t>(kNBatch) != 2048 || usual.Get<uint32_t>(kNUbatch) != 512) {
    Fail("llama_context_params has another layout in this library");
  }
  return llama;
}

Mtmd OpenMtmd(const std::string& folder) {
  Mtmd mtmd{};
  void* library = Open(folder, "libmtmd");
  if (library == nullptr) return mtmd;
#define FIND(name) Find(library, "mtmd_" #name, mtmd.name)
  FIND(context_params_default);
  FIND(init_from_file);
  FIND(free);
  FIND(support_vision);
  FIND(get_audio_sample_rate);
  FIND(default_marker);
  FIND(bitmap_init);
  FIND(bitmap_init_from_audio);
  FIND(bitmap_free);
  FIND(input_chunks_init);
  FIND(input_chunks_size);
  FIND(input_chunks_get);
  FIND(input_chunks_free);
  FIND(input_chunk_get_type);
  FIND(tokenize);
  FIND(encode_chunk);
  FIND(helper_log_set);
#undef FIND
  const Params usual = mtmd.context_params_default();
  if (usual.Get<uint8_t>(kUseGpu) != 1 || usual.Get<uint8_t>(kPrintTimings) != 1 ||
      usual.Get<int32_t>(kProjectorThreads) != 4) {
    Fail("mtmd_context_params has another layout in this library");
  }
  return mtmd;
}
