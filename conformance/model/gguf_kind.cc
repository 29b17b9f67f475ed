// Recognises kinds by keys and by the names of tensors.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/gguf_kind.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/kind_marks.h"

namespace gguf {
namespace {

using Kind = std::optional<GgufKind>;

const KindRow& RowOf(GgufKind kind) { return kKinds[static_cast<size_t>(kind)]; }

Kind ByValue(KindBy by, absl::string_view value) {
  for (const KindMark& row : kKindMarks) {
    if (row.by == by && value == row.text) return row.kind;
  }
  return std::nullopt;
}

Kind ByTensor(absl::string_view name, uint16_t architecture) {
  for (const KindMark& row : kKindMarks.Of(architecture)) {
    if ((row.by == KindBy::kSuffix && absl::EndsWith(name, row.text)) ||
        (row.by == KindBy::kPrefix && absl::StartsWith(name, row.text))) {
      return row.kind;
    }
  }
  return std::nullopt;
}

// Returns the kind of the first tensor by whose name files without
// general.architecture are recognized.
Kind OfAnyTensorWithoutKeys(const File& file) {
  for (const TensorInfo& tensor : file.tensors) {
    for (const KindMark& row : kKindMarks) {
      if (row.by == KindBy::kKeyless && absl::StartsWith(tensor.name.value, row.text)) {
        return row.kind;
      }
    }
  }
  return std::nullopt;
}

// Returns the kind of the first tensor that has one.
Kind OfAnyTensor(const File& file, uint16_t architecture) {
  for (const TensorInfo& tensor : file.tensors) {
    const Kind kind = ByTensor(tensor.name.value, architecture);
    if (kind) return kind;
  }
  return std::nullopt;
}

// Returns the kind that all tensors share; the norms of a LoRA adapter have
// none.
Kind OfAllTensors(const File& file, uint16_t architecture) {
  Kind all;
  bool has_norms = false;
  for (const TensorInfo& tensor : file.tensors) {
    const Kind kind = ByTensor(tensor.name.value, architecture);
    if (!kind && absl::EndsWith(tensor.name.value, "_norm.weight")) {
      has_norms = true;
      continue;
    }
    if (!kind || (all && all != kind)) return std::nullopt;
    all = kind;
  }
  if (has_norms && all != GgufKind::kLora) return std::nullopt;
  return all;
}

// Returns the kinds of all marks of tensors, for whatever architecture.
uint32_t MarkedKinds(const File& file) {
  uint32_t marked = 0;
  for (const KindMark& row : kKindMarks) {
    if (row.by != KindBy::kSuffix && row.by != KindBy::kPrefix) continue;
    const auto is_marked = [&](const TensorInfo& tensor) {
      return row.by == KindBy::kSuffix ? absl::EndsWith(tensor.name.value, row.text)
                                       : absl::StartsWith(tensor.name.value, row.text);
    };
    if (absl::c_any_of(file.tensors, is_marked)) marked |= 1u << static_cast<int>(row.kind);
  }
  return marked;
}

bool IsModel(GgufKind kind) { return *RowOf(kind).why_no_model == 0; }

// Determines the kind of a model from its keys.
GgufKind KindOfModel(const File& file, const Hparams& hparams) {
  constexpr int64_t kRank = 4;  // One of llama.cpp's pooling types; 0 is none.
  if (file.progress >= Progress::kHeader && file.tensor_count.value == 0 &&
      !hparams.may_be_shard()) {
    return GgufKind::kVocabulary;
  }
  const int64_t pooling = hparams.Get(Symbol::kPoolingType).value_or(0);
  if (pooling == kRank) return GgufKind::kReranker;
  const Kind kind = ByValue(KindBy::kArchitecture, hparams.architecture_name());
  if (kind) return *kind;
  return pooling > 0 ? GgufKind::kEmbeddingModel : GgufKind::kLanguageModel;
}

// Returns whether llama.cpp can load the file as a model, whatever general.type
// says, which its loader of models does not read.
bool IsLoadedAsModel(const File& file, uint16_t architecture) {
  return IsIn(architecture, Group::kLoader) && !OfAnyTensor(file, architecture) &&
         absl::c_any_of(file.tensors, [](const TensorInfo& tensor) {
           return tensor.name.value == "token_embd.weight";
         });
}

}  // namespace

KindFound FindKind(const File& file, const Hparams& hparams) {
  const uint16_t architecture = hparams.architecture();
  const absl::string_view name = hparams.architecture_name();
  const Kind type = ByValue(KindBy::kGeneralType, hparams.Text(Symbol::kGeneralType).value_or(""));
  const Kind by_name = ByValue(KindBy::kArchitecture, name);
  const Kind of_tensors = OfAllTensors(file, architecture);

  KindFound found;
  if (file.legacy && file.legacy->family->is_imatrix()) {
    found.kind = GgufKind::kImportanceMatrix;
    return found;
  }
  found.marked = MarkedKinds(file);
  if (type && !IsModel(*type) && IsLoadedAsModel(file, architecture)) {
    found.kind = KindOfModel(file, hparams);
    found.misstated = type;
  } else if (type && !IsModel(*type)) {
    found.kind = *type;
  } else if (by_name && !IsModel(*by_name)) {
    found.kind = *by_name;
  } else if (hparams.Get(Symbol::kSplitNo).value_or(0) > 0) {
    found.kind = GgufKind::kShard;
  } else if (!type && of_tensors) {
    found.kind = *of_tensors;
  } else if (!type && name.empty()) {
    Kind kind = OfAnyTensor(file, architecture);
    if (!kind) kind = OfAnyTensorWithoutKeys(file);
    found.kind = kind.value_or(KindOfModel(file, hparams));
  } else {
    found.kind = KindOfModel(file, hparams);
  }
  if (of_tensors && of_tensors != found.kind) found.of_tensors = of_tensors;
  return found;
}

const char* KindWords(GgufKind kind) { return RowOf(kind).words; }

bool HasOwnLoader(GgufKind kind) { return RowOf(kind).own_loader; }

bool HasBase(GgufKind kind) { return RowOf(kind).has_base; }

Reason WhyNoModel(const KindFound& found) {
  if (found.of_tensors) {
    return "the keys and the tensors belong to different kinds of files";
  }
  return {RowOf(found.kind).why_no_model, Reason::kNotAbout};
}

}  // namespace gguf
