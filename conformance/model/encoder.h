// Encoder: a part of a projector that makes vectors from images or sound, with the
// hyperparameters and tensors that the table of its type names.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_ENCODER_H_
#define GGUF_CONFORMANCE_MODEL_ENCODER_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/tensor_table.h"
#include "conformance/tables/projector_types.h"
#include "parser/file.h"

namespace gguf {

struct Encoder {
  const char* keys;     // The prefix of its keys: "clip.vision."
  const char* tensors;  // The prefix of its blocks' tensors: "v.blk."
  Symbol blocks;
  const KeyValue* type_key = nullptr;  // Null if it has no type.
  absl::string_view type;
  const ProjectorType* row = nullptr;  // Null if llama.cpp does not support it.

  // Of its keys: n_embd is clip.vision.embedding_length.
  std::unique_ptr<Hparams> hparams;
  // Null unless its type has a file in tables/projectors, and all tensors were read.
  std::unique_ptr<TensorRoles> roles;
};

// Returns the encoders that a projector declares; `hparams` are those of the file.
// The other arguments must outlive them.
std::vector<Encoder> FindEncoders(const File& file, const KeyIndex& keys,
                                  const TensorTable& tensors, const TensorIndex& index,
                                  const Hparams& hparams);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_ENCODER_H_
