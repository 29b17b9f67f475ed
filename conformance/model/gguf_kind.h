// GgufKind: the kind of a GGUF file, such as a language model or an adapter.
//
// Only this module determines the kind.  Rules about one kind ask for it and
// skip other files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_
#define GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/tables/kinds.h"
#include "parser/file.h"

namespace gguf {

struct KindFound {
  GgufKind kind = GgufKind::kLanguageModel;
  // The kind of all tensors, if it differs: keys and tensors contradict each
  // other.
  std::optional<GgufKind> of_tensors;
  // The kind that general.type states, if the file is a model nevertheless.
  std::optional<GgufKind> misstated;
  // The kinds, as bits, that a tensor has the mark of, whatever the keys say.
  uint32_t marked = 0;

  bool Is(GgufKind wanted) const { return kind == wanted && !of_tensors; }
  // For rules that protect readers from what a file contains.
  bool MayBe(GgufKind wanted) const {
    return kind == wanted || (marked >> static_cast<int>(wanted) & 1) != 0;
  }
};

// Determines the kind by general.type, then general.architecture, then the
// names of the tensors, as in tables/kind_marks.tsv.  Uses only what was read,
// if that is not everything.
KindFound FindKind(const File& file, const Hparams& hparams);

// "a LoRA adapter": for people.  WordOf(kind) is "lora", for programs.
const char* KindWords(GgufKind kind);

// Returns whether llama.cpp loads the kind with its own loader, not the loader
// of models.
bool HasOwnLoader(GgufKind kind);

// Returns whether files of the kind are compared with the model of `--base`.
bool HasBase(GgufKind kind);

// Returns why the tables of architectures do not apply to the file, for
// Finder::CannotCheck; empty if they do.
Reason WhyNoModel(const KindFound& found);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_
