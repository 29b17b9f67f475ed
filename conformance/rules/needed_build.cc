// Looks up first builds in the tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/needed_build.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/base_model.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/requirements.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/build.h"
#include "conformance/tables/first_builds.h"
#include "conformance/tables/tokenizers.h"

namespace gguf {
namespace {

// Its loader reads 64-bit counts, and with them versions 2 and 3.
constexpr int32_t kFirstOfVersion2 = 1087;

// The greatest build so far.
class Newest {
 public:
  void Add(const char* what, absl::string_view name, std::optional<int32_t> first) {
    if (first.value_or(kNoBuild) == kNoBuild) {
      AddUnknown();
    } else if (Includes(most_.build, *first) != true) {
      most_ = {*first, absl::StrCat(what, " ", name)};
    }
  }
  void AddUnknown() { is_known_ = false; }
  std::optional<NeededBuild> Get() const { return is_known_ ? std::optional(most_) : std::nullopt; }

 private:
  bool is_known_ = true;
  NeededBuild most_;
};

void AddArchitecture(const Model& model, Newest* newest) {
  const KeyValue* kv = model.hparams().architecture_key();
  if (kv == nullptr && model.kind().kind == GgufKind::kShard) return;
  const uint16_t architecture = model.hparams().architecture();
  if (kv == nullptr || architecture >= kArchitectures) {
    return newest->AddUnknown();
  }
  const ArchitectureRow& row = kArchitectureRows[architecture];
  newest->Add("architecture", row.name, row.first_build);
}

bool HasTensor(const Model& model, absl::string_view pattern) {
  return absl::c_any_of(model.file.tensors, [&](const TensorInfo& tensor) {
    return ParseBlockName(tensor.name.value).pattern == pattern;
  });
}

// Older builds reject these tensors and blocks; a key means nothing to them.
void AddParts(const Model& model, Newest* newest) {
  const Hparams& hparams = model.hparams();
  for (const FirstBuild& row : kFirstBuilds.Of(hparams.architecture())) {
    if (row.what == FirstOf::kTensor && HasTensor(model, row.name)) {
      newest->Add("tensor", row.name, row.first);
    }
    if (row.what == FirstOf::kPrediction &&
        hparams.Get(Symbol::kNextnPredictLayers).value_or(0) > 0) {
      newest->Add("the blocks for prediction of", kArchitectureRows[hparams.architecture()].name,
                  row.first);
    }
  }
}

void AddPreTokenizer(const Model& model, Newest* newest) {
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (!name || BeforeNul(*name).empty()) return;
  const PreTokenizerRow* row = FindPreTokenizer(model);
  if (row == nullptr) return newest->AddUnknown();
  newest->Add("pre-tokenizer", row->name, row->first);
}

void AddTokenizer(const Model& model, Newest* newest) {
  // Not model.vocabulary(), which would index all tokens.
  const auto name = model.hparams().Text(Symbol::kTokenizerModel);
  for (const TokenizerRow& row : kTokenizers) {
    if (name != row.model) continue;
    if (row.first != kNoBuild) newest->Add("tokenizer", row.model, row.first);
    if (row.pre == PreTokenizers::kRead) AddPreTokenizer(model, newest);
  }
}

void AddProjectors(const Model& model, Newest* newest) {
  const std::vector<Encoder>& encoders = model.encoders();
  if (encoders.empty()) newest->AddUnknown();
  for (const Encoder& encoder : encoders) {
    if (encoder.row == nullptr) return newest->AddUnknown();
    newest->Add("projector type", encoder.row->name, encoder.row->first);
  }
}

void AddTensorTypes(const File& file, Newest* newest) {
  const TensorTypeInfo* added = nullptr;
  for (const TensorInfo& tensor : file.tensors) {
    const TensorTypeInfo* type = tensor.type_info();
    if (type == nullptr) return newest->AddUnknown();
    if (type == std::exchange(added, type)) continue;  // Most are alike.
    newest->Add("tensor type", type->name, ParseBuild(type->llama_cpp));
  }
}

}  // namespace

std::optional<NeededBuild> FindNeededBuild(const Model& model) {
  const File& file = model.file;
  if (file.legacy || file.progress < Progress::kTensors) return std::nullopt;
  Newest newest;
  switch (model.kind().kind) {
    case GgufKind::kControlVector:
    case GgufKind::kImportanceMatrix:
    case GgufKind::kImageModel:
      return std::nullopt;
    case GgufKind::kProjector:
      AddProjectors(model, &newest);
      break;
    default:
      AddArchitecture(model.whole(), &newest);
      AddParts(model.whole(), &newest);
      AddTokenizer(model.whole(), &newest);
  }
  AddTensorTypes(file, &newest);
  newest.Add("GGUF version", absl::StrCat(file.version.value), kFirstOfVersion2);
  return file.version.value < 2 ? std::nullopt : newest.Get();
}

}  // namespace gguf
