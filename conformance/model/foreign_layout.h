// Recognises layouts of files that other programs than llama.cpp make for themselves: the rows of
// foreign_layouts.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_FOREIGN_LAYOUT_H_
#define GGUF_CONFORMANCE_MODEL_FOREIGN_LAYOUT_H_

#include <optional>
#include <string>

#include "conformance/tables/foreign_layouts.h"

namespace gguf {

class Model;

struct LayoutFound {
  const ForeignLayout* row;
  // What shows it: "the tensor \"v.blk.0.ln1.weight\"", escaped; empty if it is the name of the
  // architecture.
  std::string mark;
};

// Returns the layout of another program that the file, or the first shard of a set, has.
std::optional<LayoutFound> FindForeignLayout(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_FOREIGN_LAYOUT_H_
