// Loads models with llama.cpp's library, one after the other.
//
//   load_models BACKENDS [--messages] <PATHS
//
// BACKENDS is the folder of ggml's backends.  Reads a path per line and writes a
// line of JSON for each, as load_models.mjs does: whether llama.cpp loads the
// model, and its messages (errors alone, or all with --messages).  A projector
// is followed by a tab and the path of its model.  A file on which llama.cpp
// aborts ends the process; loader.py starts another.
//
// `./dev` compiles it in Debian unstable, against libllama-dev.
//
// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"
#include "mtmd-helper.h"
#include "mtmd.h"

namespace {

using ModelPtr = std::unique_ptr<llama_model, void (*)(llama_model*)>;

bool all_messages = false;
std::vector<std::string> messages;

void Keep(ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_CONT && !messages.empty()) {
    messages.back() += text;
  } else if (all_messages || level == GGML_LOG_LEVEL_ERROR) {
    messages.emplace_back(text);
  }
}

ModelPtr Load(const std::string& path) {
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = 0;
  return ModelPtr(llama_model_load_from_file(path.c_str(), params), llama_model_free);
}

bool LoadsProjector(const std::string& path, const std::string& model_path) {
  const ModelPtr model = Load(model_path);
  if (model == nullptr) return false;
  mtmd_context_params params = mtmd_context_params_default();
  params.use_gpu = false;
  params.warmup = false;
  mtmd_context* projector = mtmd_init_from_file(path.c_str(), model.get(), params);
  if (projector != nullptr) mtmd_free(projector);
  return projector != nullptr;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte > 126 || c == '"' || c == '\\') {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  all_messages = argc > 2 && strcmp(argv[2], "--messages") == 0;
  setenv("GGML_NO_BACKTRACE", "1", 1);  // It would start gdb.
  llama_log_set(Keep, nullptr);
  mtmd_helper_log_set(Keep, nullptr);
  ggml_backend_load_all_from_path(argv[1]);
  llama_backend_init();
  for (std::string line; std::getline(std::cin, line);) {
    messages.clear();
    const size_t tab = line.find('\t');
    const std::string path = line.substr(0, tab);
    bool takes = false;
    try {
      takes = tab == line.npos ? Load(path) != nullptr : LoadsProjector(path, line.substr(tab + 1));
    } catch (const std::exception& error) {
      messages.emplace_back(error.what());
    }
    std::string texts;
    for (const std::string& message : messages) {
      texts += (texts.empty() ? "" : ", ") + Quoted(message);
    }
    std::cout << "{\"path\": " << Quoted(path) << ", \"takes\": " << (takes ? "true" : "false")
              << ", \"messages\": [" << texts << "]}" << std::endl;
  }
}
