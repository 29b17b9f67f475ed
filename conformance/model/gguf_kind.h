// GgufKind: what a GGUF file is: a language model, an adapter of one, ...
//
// The one place that decides it.  Rules about one kind ask for it and pass over
// the others.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_
#define GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/tables/kinds.h"
#include "parser/core/file.h"

namespace gguf {

struct KindFound {
  GgufKind kind = GgufKind::kLanguageModel;
  // The kind of all tensors, where it is another: keys and tensors contradict
  // each other.
  std::optional<GgufKind> of_tensors;

  bool Is(GgufKind wanted) const { return kind == wanted && !of_tensors; }
};

// By general.type, then by general.architecture, then by the names of the
// tensors, as tables/kind_marks.tsv has them.  Of what was read, if that is not
// all.
KindFound FindKind(const File& file, const Hparams& hparams);

// "a LoRA adapter": for people.  WordOf(kind) is "lora", for programs.
const char* KindWords(GgufKind kind);

// Whether another part of llama.cpp than its loader of models loads the kind.
bool HasOwnLoader(GgufKind kind);

// Why the tables of architectures are not for the file, for
// Finder::CannotCheck; empty when they are.
Reason WhyNoModel(const KindFound& found);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_GGUF_KIND_H_
