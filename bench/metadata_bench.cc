// Measures how fast metadata is read and checked.  Run it with `./dev bench
// metadata`.
//
// Each kind of file is measured twice: Parse alone, and the whole upload
// profile.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "benchmark/benchmark.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint32_t kF32 = 0, kI32 = 5, kString = 8, kArray = 9;

// A valid BPE vocabulary: as many merges as tokens, and token types.
std::string VocabularyFile(uint64_t tokens) {
  // Unordered texts; a prime above the number of tokens keeps them distinct.
  constexpr uint64_t kPrime = 1000003, kStep = 7919;
  const auto text = [](uint64_t i) { return "tok" + std::to_string(i * kStep % kPrime); };
  GgufBuilder b;
  b.String("general.architecture", "gpt2");
  b.String("tokenizer.ggml.model", "gpt2");
  b.String("tokenizer.ggml.pre", "gpt-2");
  ByteWriter texts = b.New(), merges = b.New(), types = b.New();
  texts.U32(kString).Length(tokens);
  merges.U32(kString).Length(tokens);
  types.U32(kI32).Length(tokens);
  for (uint64_t i = 0; i < tokens; ++i) {
    texts.String(text(i));
    merges.String(text(i / 2) + " " + text(i * i % tokens));
    types.U32(1);
  }
  b.Key("tokenizer.ggml.tokens", kArray, texts);
  b.Key("tokenizer.ggml.token_type", kArray, types);
  b.Key("tokenizer.ggml.merges", kArray, merges);
  return b.Build();
}

// An unknown architecture, so that only container rules apply.
std::string KeysAndTensors(int keys, int tensors) {
  GgufBuilder b;
  b.String("general.architecture", "bench");
  for (int i = 0; i < keys; ++i) b.U32("bench.key_" + std::to_string(i), i);
  for (int i = 0; i < tensors; ++i) {
    b.Tensor("blk." + std::to_string(i) + ".weight", {8}, kF32);
  }
  b.data_bytes = 32 * tensors;
  return b.Build();
}

// A valid llama: 9 tensors per block and 3 more.
std::string LlamaModel(uint32_t blocks) {
  constexpr uint64_t kWidth = 32;
  constexpr const char* kMatrices[] = {"attn_q",   "attn_k", "attn_v",     "ffn_gate",
                                       "ffn_down", "ffn_up", "attn_output"};
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.U32("llama.block_count", blocks);
  for (const char* key : {"context_length", "embedding_length", "feed_forward_length",
                          "rope.dimension_count", "vocab_size"}) {
    b.U32(std::string("llama.") + key, kWidth);
  }
  b.U32("llama.attention.head_count", 1);
  b.Key("llama.attention.layer_norm_rms_epsilon", 6,
        b.New().U32(0x3727c5ac));  // 1e-5
  b.String("tokenizer.ggml.model", "none");
  b.Tensor("token_embd.weight", {kWidth, kWidth}, kF32);
  b.Tensor("output_norm.weight", {kWidth}, kF32);
  b.Tensor("output.weight", {kWidth, kWidth}, kF32);
  for (uint32_t i = 0; i < blocks; ++i) {
    const std::string block = "blk." + std::to_string(i) + ".";
    b.Tensor(block + "attn_norm.weight", {kWidth}, kF32);
    b.Tensor(block + "ffn_norm.weight", {kWidth}, kF32);
    for (const char* matrix : kMatrices) {
      b.Tensor(block + matrix + ".weight", {kWidth, kWidth}, kF32);
    }
  }
  b.data_bytes = 4 * kWidth * (kWidth * (2 + 7 * blocks) + (1 + 2 * blocks));
  return b.Build();
}

// A chat template of one mebibyte, made of common tags.
std::string LongTemplate() {
  const std::string part =
      "{%- for m in messages -%}{%- if m['role'] == 'user' -%}{{ '<|im_start|>' + m['role'] + "
      "'\\n' + m['content'] | trim }}{%- elif loop.index0 % 2 == 0 and m.tool_calls is defined "
      "-%}{%- set x = m.tool_calls[0].function -%}{{ x.arguments | tojson }}{%- endif -%}{%- "
      "endfor -%}\n";
  std::string text;
  while (text.size() < 1 << 20) text += part;
  GgufBuilder b;
  b.String("general.architecture", "bench");
  return b.String("tokenizer.chat_template", text).Build();
}

// A real file, named by an environment variable.
std::string RealFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

std::string LongStringArray(int strings) {
  GgufBuilder b;
  b.String("general.architecture", "bench");
  ByteWriter array = b.New();
  array.U32(kString).Length(strings);
  for (int i = 0; i < strings; ++i) array.String("0123456789");
  return b.Key("bench.words", kArray, array).Build();
}

void BM_Parse(benchmark::State& state, const std::string& bytes) {
  for (auto _ : state) {
    Diagnostics found(100);
    benchmark::DoNotOptimize(Parse(AsBytes(bytes), Limits(), &found));
  }
  state.counters["MB"] = bytes.size() / 1e6;
}

void BM_Upload(benchmark::State& state, const std::string& bytes) {
  const Profile& upload = *Profile::Find("upload");
  size_t findings = 0;
  for (auto _ : state) {
    const FileReport report = Validate(AsBytes(bytes), upload, {});
    findings = report.findings.size();
  }
  state.counters["findings"] = static_cast<double>(findings);
}

// The goal, and the time of ggml on such a file when the goals were set, on
// another machine of the same kind; in milliseconds.
struct Goals {
  double parse;
  double upload;
  double ggml;  // 0: not measured.
};

void Register(const std::string& name, const std::string& bytes, const Goals& goals) {
  const auto add = [&](const std::string& what, auto run, double goal) {
    benchmark::RegisterBenchmark((what + name).c_str(), [bytes, run, goal,
                                                         goals](benchmark::State& state) {
      run(state, bytes);
      state.counters["goal_ms"] = goal;
      state.counters["ggml_ms"] = goals.ggml;
    })->Unit(benchmark::kMillisecond);
  };
  add("parse/", BM_Parse, goals.parse);
  add("upload/", BM_Upload, goals.upload);
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  gguf::Register("vocabulary_50k", gguf::VocabularyFile(50000), {0.4, 10, 8.2});
  gguf::Register("vocabulary_1M", gguf::VocabularyFile(1000000), {8, 300, 0});
  gguf::Register("1k_keys_10k_tensors", gguf::KeysAndTensors(1000, 10000), {2, 2, 177});
  gguf::Register("1M_string_array", gguf::LongStringArray(1000000), {5, 5, 100});
  gguf::Register("100k_keys", gguf::KeysAndTensors(100000, 0), {200, 200, 0});
  gguf::Register("100k_tensors", gguf::KeysAndTensors(0, 100000), {200, 200, 0});
  gguf::Register("1M_tensors", gguf::KeysAndTensors(0, 1000000), {400, 400, 0});
  gguf::Register("llama_2001_tensors", gguf::LlamaModel(222), {2, 10, 0});
  gguf::Register("1MiB_template", gguf::LongTemplate(), {1, 50, 0});
  if (const char* const path = std::getenv("GGUFCHECK_FILE")) {
    gguf::Register(path, gguf::RealFile(path), {0, 10, 0});
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
