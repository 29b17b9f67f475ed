// The encoders of a projector, as its keys have them.
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
  const char* keys;     // How its keys begin: "clip.vision."
  const char* tensors;  // How those of its blocks begin: "v.blk."
  Symbol blocks;
  const KeyValue* type_key = nullptr;  // Null: it has no type.
  absl::string_view type;
  const ProjectorType* row = nullptr;  // Null: llama.cpp does not know it.
};

// Those that a projector says it has.
std::vector<Encoder> EncodersOf(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_PROJECTOR_H_
