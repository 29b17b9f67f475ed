// Small models from the tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/testing/tiny_model.h"

#include <algorithm>
#include <functional>
#include <map>

#include "absl/strings/str_cat.h"
#include "conformance/rules/model.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

void AddF32(GgufBuilder* keys, absl::string_view key, uint32_t bits) {
  keys->Key(key, 6, keys->New().U32(bits));
}

void AddBool(GgufBuilder* keys, absl::string_view key, bool value) {
  keys->Key(key, 7, keys->New().U8(value));
}

constexpr uint32_t kSmall = 0x3727c5ac;  // 1e-5

using AddKeys = std::function<void(GgufBuilder*, const std::string& arch)>;

// What each needs beyond TinyKeys.
const std::map<std::string, AddKeys>& KeysOf() {
  static const AddKeys rms = [](GgufBuilder* keys, const std::string& arch) {
    AddF32(keys, arch + ".attention.layer_norm_rms_epsilon", kSmall);
  };
  static const AddKeys norm = [](GgufBuilder* keys, const std::string& arch) {
    AddF32(keys, arch + ".attention.layer_norm_epsilon", kSmall);
  };
  static const auto& all = *new std::map<std::string, AddKeys>{
      {"llama", rms},
      {"gpt2", norm},
      {"falcon", norm},
      {"phi3", rms},
      {"gemma2", rms},
      {"qwen2moe",
       [](GgufBuilder* keys, const std::string& arch) {
         rms(keys, arch);
         keys->U32(arch + ".expert_count", 5);
         keys->U32(arch + ".expert_used_count", 2);
         keys->U32(arch + ".expert_feed_forward_length", 24);
         keys->U32(arch + ".expert_shared_feed_forward_length", 28);
       }},
      {"mamba",
       [](GgufBuilder* keys, const std::string& arch) {
         rms(keys, arch);
         keys->U32(arch + ".ssm.conv_kernel", 4);
         keys->U32(arch + ".ssm.inner_size", 128);
         keys->U32(arch + ".ssm.state_size", 16);
         keys->U32(arch + ".ssm.time_step_rank", 6);
       }},
      {"bert",
       [](GgufBuilder* keys, const std::string& arch) {
         norm(keys, arch);
         AddBool(keys, arch + ".attention.causal", false);
         keys->U32("tokenizer.ggml.token_type_count", 2);
       }},
  };
  return all;
}

std::vector<uint64_t> Shape(const Model& model, const TensorRow& row,
                            int64_t block) {
  std::vector<uint64_t> shape;
  for (uint32_t d = 0; d < row.shape.rank; ++d) {
    const Expr& expr = row.shape.dims[d];
    const int64_t any = 1;
    const auto value =
        expr.empty() ? any : model.hparams().Evaluate(expr, block);
    EXPECT_TRUE(value && *value > 0)
        << row.name << ": " << expr.source << " is not known";
    shape.push_back(static_cast<uint64_t>(value.value_or(1)));
  }
  return shape;
}

}  // namespace

TinyTensor& TinyModel::Tensor(absl::string_view name) {
  return *std::find_if(tensors.begin(), tensors.end(),
                       [&](const TinyTensor& t) { return t.name == name; });
}

void TinyModel::Remove(absl::string_view name) {
  tensors.erase(tensors.begin() + (&Tensor(name) - tensors.data()));
}

std::string TinyModel::Build() const {
  GgufBuilder file = keys;
  for (const TinyTensor& tensor : tensors) {
    file.Tensor(tensor.name, tensor.dims, tensor.type);
  }
  return file.Build();
}

// What a tensor's presence decides is settled from round to round.
std::vector<TinyTensor> TensorsFor(const GgufBuilder& keys,
                                   const std::vector<std::string>& also) {
  std::vector<TinyTensor> tensors;
  for (int round = 0; round < 4; ++round) {
    const std::string bytes = TinyModel{keys, tensors}.Build();
    Diagnostics ignored(0);
    const Model model(Parse(AsBytes(bytes), "", {}, &ignored));
    const Hparams& hparams = model.hparams();
    std::vector<TinyTensor> next;
    for (const TensorRow& row : kTensors.Of(hparams.architecture())) {
      const absl::string_view name = row.name;
      const bool wanted =
          std::find(also.begin(), also.end(), name) != also.end();
      if (row.required.empty() && !wanted) continue;
      int64_t blocks = 1;
      for (const StackRow& stack : kStacks.Of(hparams.architecture())) {
        if (name.substr(0, name.find('%')) == stack.prefix) {
          blocks = *hparams.Evaluate(stack.count);
        }
      }
      for (int64_t i = 0; i < blocks; ++i) {
        if (!hparams.Holds(row.when, i)) continue;
        if (!wanted && !hparams.Holds(row.required, i)) continue;
        next.push_back({hparams.Expand(name, i), Shape(model, row, i)});
      }
    }
    tensors = std::move(next);
  }
  return tensors;
}

GgufBuilder TinyKeys(absl::string_view architecture) {
  const std::string arch(architecture);
  GgufBuilder keys;
  keys.String("general.architecture", arch);
  keys.U32(arch + ".context_length", 40);
  keys.U32(arch + ".embedding_length", 64);
  keys.U32(arch + ".block_count", 3);
  if (arch != "mamba") {
    keys.U32(arch + ".feed_forward_length", 96);
    keys.U32(arch + ".attention.head_count", 4);
    keys.U32(arch + ".attention.head_count_kv", 2);
  }
  // Then the vocabulary has a size without having words.
  keys.String("tokenizer.ggml.model", "no_vocab");
  keys.U32(arch + ".vocab_size", 32);
  return keys;
}

TinyModel MakeTinyModel(absl::string_view architecture) {
  const std::string arch(architecture);
  GgufBuilder keys = TinyKeys(arch);
  KeysOf().at(arch)(&keys, arch);
  std::vector<std::string> also;
  if (arch == "phi3") also.push_back("blk.%d.attn_qkv.weight");
  return {keys, TensorsFor(keys, also)};
}

const std::vector<std::string>& TinyArchitectures() {
  static const auto& all = *[] {
    auto* names = new std::vector<std::string>();
    for (const auto& [name, add] : KeysOf()) names->push_back(name);
    return names;
  }();
  return all;
}

}  // namespace gguf
