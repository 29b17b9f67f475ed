// The encoders of a projector, from its keys.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_PROJECTOR_H_
#define GGUF_CONFORMANCE_MODEL_PROJECTOR_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "conformance/tables/projector_types.h"

namespace gguf {

struct Encoder {
  const char* keys;     // The prefix of its keys: "clip.vision."
  const char* tensors;  // The prefix of its blocks' tensors: "v.blk."
  Symbol blocks;
  const KeyValue* type_key = nullptr;  // Null if it has no type.
  absl::string_view type;
  const ProjectorType* row = nullptr;  // Null if llama.cpp does not support it.
};

// Returns the encoders that a projector declares.
std::vector<Encoder> EncodersOf(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_PROJECTOR_H_
