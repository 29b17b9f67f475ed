// Runs models, and companions beside their models.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/external/loader/runs.h"

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <exception>
#include <set>

#include "conformance/external/loader/trace.h"

namespace {

constexpr uint32_t kContext = 64;
constexpr uint32_t kBatch = 8;
constexpr int kTokens = 4;
constexpr uint32_t kWidth = 48, kHeight = 32;  // Of an image, in pixels.

// Programs want embeddings of these, not logits.
const std::set<std::string>& EmbeddingArchitectures() {
  static const auto& names = *new std::set<std::string>{
      "bert",           "eurobert",    "gemma-embedding", "gemma-embedding2", "jina-bert-v2",
      "jina-bert-v3",   "llama-embed", "modern-bert",     "neo-bert",         "nomic-bert",
      "nomic-bert-moe", "t5encoder",   "wavtokenizer-dec"};
  return names;
}

}  // namespace

Job ParseJob(const std::string& line) {
  const size_t kind = line.find('\t');
  if (kind == line.npos) return {line, "model", ""};
  const size_t base = line.find('\t', kind + 1);
  if (base == line.npos) Fail("a line has a kind and no base");
  return {line.substr(0, kind), line.substr(kind + 1, base - kind - 1), line.substr(base + 1)};
}

bool Runner::Run(const Job& job, int out) {
  const auto load = [&](const std::string& path) {
    return llama_.model_load_from_file(path.c_str(), llama_.model_default_params());
  };
  if (job.kind == "model") {
    SetTracing(options_.trace);
    void* model = load(job.path);
    if (model == nullptr) return false;
    const bool ok = RunModel(model, out);
    llama_.model_free(model);
    return ok;
  }
  SetTracing(false);
  void*& base = bases_[job.base];
  if (base == nullptr) base = load(job.base);
  if (base == nullptr) Fail("cannot load the base " + job.base);
  SetTracing(options_.trace);
  try {
    if (job.kind == "lora") return RunLora(job, base, out);
    if (job.kind == "control-vector") return RunControlVector(job, base, out);
    if (job.kind == "draft" || job.kind == "mtp") return RunDraft(job, base, out);
    if (job.kind == "projector") return RunProjector(job, base, out);
  } catch (const std::exception& error) {
    fprintf(stderr, "uncaught exception: %s\n", error.what());
    abort();  // As in programs, none of which catches it.
  }
  Fail("unknown kind " + job.kind);
}

Params Runner::ContextParams(void* model) const {
  char name[64] = "";
  llama_.model_meta_val_str(model, "general.architecture", name, sizeof(name));
  Params params = llama_.context_default_params();
  params.Put<uint32_t>(kNCtx, options_.own_length ? 0 : kContext);
  if (!options_.own_length) {
    params.Put<uint32_t>(kNBatch, kBatch);
    params.Put<uint32_t>(kNUbatch, kBatch);
  }
  params.Put<int32_t>(kThreads, 1);
  params.Put<int32_t>(kThreadsBatch, 1);
  params.Put<bool>(llama_.booleans + kEmbeddings, EmbeddingArchitectures().count(name) > 0);
  params.Put<bool>(llama_.booleans + kSwaFull, false);
  return params;
}

bool Runner::RunModel(void* model, int out) const {
  const Params params = ContextParams(model);
  dprintf(out, "context\n");
  void* context = llama_.init_from_model(model, params);
  if (context == nullptr) return false;
  dprintf(out, "run\n");
  const bool ok = Decode(model, context);
  llama_.free(context);
  return ok;
}

// Models with an encoder encode, models of embeddings encode; all others decode a
// few tokens, then one more.
bool Runner::Decode(void* model, void* context) const {
  const int32_t n_vocab = llama_.vocab_n_tokens(llama_.model_get_vocab(model));
  std::vector<int32_t> ids(kTokens);
  for (int i = 0; i < kTokens; ++i) ids[i] = n_vocab > 0 ? (1 + i % 2) % n_vocab : 0;
  Batch batch = llama_.batch_get_one(ids.data(), kTokens);
  std::vector<float> rows;
  if (n_vocab <= 0) {  // No token is valid: rows of embeddings instead.
    rows.assign(static_cast<size_t>(kTokens) * std::max(llama_.model_n_embd_inp(model), 1), 0.1F);
    batch.token = nullptr;
    batch.embd = rows.data();
  }
  if (llama_.model_has_encoder(model)) {
    if (llama_.encode(context, batch) != 0) return false;
    if (!llama_.model_has_decoder(model)) return true;
    const int32_t start = llama_.model_decoder_start_token(model);
    ids[0] = start >= 0 && start < n_vocab ? start : 0;
    return llama_.decode(context, llama_.batch_get_one(ids.data(), 1)) == 0;
  }
  if (ContextParams(model).Get<bool>(llama_.booleans + kEmbeddings)) {
    return llama_.encode(context, batch) == 0;
  }
  if (llama_.decode(context, batch) != 0) return false;
  return n_vocab <= 0 || llama_.decode(context, llama_.batch_get_one(ids.data(), 1)) == 0;
}

bool Runner::RunLora(const Job& job, void* base, int out) const {
  void* adapter = llama_.adapter_lora_init(base, job.path.c_str());
  float scale = 1;
  return adapter != nullptr && RunAdapted(base, out, [&](void* context) {
           return llama_.set_adapters_lora(context, &adapter, 1, &scale);
         });
}

// As llama.cpp's programs do: for the layers from the first to the last.
bool Runner::RunControlVector(const Job& job, void* base, int out) const {
  const ControlVector vector = llama_.load_control_vectors({{1, job.path}});
  return vector.n_embd != -1 && RunAdapted(base, out, [&](void* context) {
           return llama_.set_adapter_cvec(context, vector.data.data(), vector.data.size(),
                                          vector.n_embd, 1, llama_.model_n_layer(base));
         });
}

template <typename Set>
bool Runner::RunAdapted(void* base, int out, Set set) const {
  dprintf(out, "context\n");
  void* context = llama_.init_from_model(base, ContextParams(base));
  if (context == nullptr || set(context) != 0) return false;
  dprintf(out, "run\n");
  const bool ok = Decode(base, context);
  llama_.free(context);
  return ok;
}

// A draft model makes a context beside that of the model for which it drafts.
bool Runner::RunDraft(const Job& job, void* base, int out) const {
  Params loading = llama_.model_default_params();
  if (job.kind == "mtp") loading.Put<bool>(kLoadPrediction, true);
  void* draft = llama_.model_load_from_file(job.path.c_str(), loading);
  if (draft == nullptr) return false;
  dprintf(out, "context\n");
  void* target = llama_.init_from_model(base, ContextParams(base));
  Params params = ContextParams(draft);
  params.Put<void*>(llama_.booleans + kContextOther, target);
  if (job.kind == "mtp") params.Put<int32_t>(kContextType, 1);
  void* context = target == nullptr ? nullptr : llama_.init_from_model(draft, params);
  if (context != nullptr) llama_.free(context);
  if (target != nullptr) llama_.free(target);
  llama_.model_free(draft);
  return context != nullptr;
}

// Loading includes a warm-up; then an image, or two seconds of sound, is encoded.
bool Runner::RunProjector(const Job& job, void* base, int out) const {
  if (mtmd_.init_from_file == nullptr) Fail("there is no libmtmd");
  Params params = mtmd_.context_params_default();
  params.Put<bool>(kUseGpu, false);
  params.Put<bool>(kPrintTimings, false);
  params.Put<int32_t>(kProjectorThreads, 1);
  void* context = mtmd_.init_from_file(job.path.c_str(), base, params);
  if (context == nullptr) return false;
  if (options_.load_only) {
    mtmd_.free(context);
    return true;
  }
  dprintf(out, "run\n");
  void* bitmap;
  if (mtmd_.support_vision(context)) {
    std::vector<unsigned char> pixels(size_t{kWidth} * kHeight * 3);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<unsigned char>(i * 37);
    bitmap = mtmd_.bitmap_init(kWidth, kHeight, pixels.data());
  } else {
    const int32_t rate = mtmd_.get_audio_sample_rate(context);
    std::vector<float> wave(rate > 0 ? static_cast<size_t>(rate) * 2 : 32000);
    for (size_t i = 0; i < wave.size(); ++i) wave[i] = 0.001F * static_cast<float>(i % 100);
    bitmap = mtmd_.bitmap_init_from_audio(wave.size(), wave.data());
  }
  void* chunks = mtmd_.input_chunks_init();
  const char* marker = mtmd_.default_marker();
  const InputText text{marker, strlen(marker), false, true};
  bool ok = mtmd_.tokenize(context, chunks, &text, &bitmap, 1) == 0;
  for (size_t i = 0; ok && i < mtmd_.input_chunks_size(chunks); ++i) {
    void* chunk = mtmd_.input_chunks_get(chunks, i);
    const bool is_text = mtmd_.input_chunk_get_type(chunk) == 0;
    ok = is_text || mtmd_.encode_chunk(context, chunk) == 0;
  }
  mtmd_.input_chunks_free(chunks);
  mtmd_.bitmap_free(bitmap);
  mtmd_.free(context);
  return ok;
}
