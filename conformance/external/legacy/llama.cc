// Runs files with a llama.cpp of 2023; without the tensors of a model, as a vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#include "llama.h"

#include "child.h"

namespace {

llama_context_params Params() {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 32;
  params.seed = 1;
  return params;
}

// Returns null if the file has no model that can be loaded.
llama_context* LoadModel(const char* path) {
#ifdef ONE_CALL  // Before a model and its context were separate.
  return llama_init_from_file(path, Params());
#else
  llama_init_backend(false);
  llama_model* model = llama_load_model_from_file(path, Params());
  return model == nullptr ? nullptr : llama_new_context_with_model(model, Params());
#endif
}

}  // namespace

Outcome RunFile(const std::string&, const char* path) {
  if (llama_context* context = LoadModel(path)) {
    const llama_token tokens[] = {1, llama_n_vocab(context) - 1};  // The first must be 1.
    for (int i = 0; i < 2; ++i) {
      if (llama_eval(context, tokens + i, 1, i, 1) != 0) return Outcome::kRefused;
    }
    return Outcome::kRan;
  }
  llama_context_params params = Params();
  params.vocab_only = true;
  llama_context* context = llama_init_from_file(path, params);
  if (context == nullptr) return Outcome::kRefused;
  llama_token tokens[16];
  llama_tokenize(context, "a b", tokens, 16, true);
  for (int i = 0; i < llama_n_vocab(context); ++i) llama_token_to_str(context, i);
  return Outcome::kVocabulary;
}
