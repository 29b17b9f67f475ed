// Runs files with rwkv.cpp: the first token and the last.
//
// SPDX-License-Identifier: Apache-2.0

#include "rwkv.h"

#include <vector>

#include "child.h"

Outcome RunFile(const std::string&, const char* path) {
  rwkv_context* context = rwkv_init_from_file(path, 1, 0);
  if (context == nullptr) return Outcome::kRefused;
  std::vector<float> state(rwkv_get_state_len(context)), logits(rwkv_get_logits_len(context));
  const auto eval = [&](uint32_t token, const float* before) {
    return rwkv_eval(context, token, before, state.data(), logits.data());
  };
  const bool ran = eval(0, nullptr) && eval(rwkv_get_n_vocab(context) - 1, state.data());
  rwkv_free(context);
  return ran ? Outcome::kRan : Outcome::kRefused;
}
