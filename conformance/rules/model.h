// Model: a File together with what checks derive from it, computed once.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_MODEL_H_
#define GGUF_CONFORMANCE_RULES_MODEL_H_

#include <optional>
#include <utility>
#include <vector>

#include "conformance/rules/known_keys.h"
#include "conformance/rules/placement.h"
#include "conformance/rules/tensor_scan.h"
#include "parser/file.h"

namespace gguf {

class Model {
 public:
  explicit Model(File the_file) : file(std::move(the_file)) {}

  const File file;

  // Of all tensors, by index (Needs::kWeights).
  const std::vector<TensorScan>& scans() const { return scans_; }
  void set_scans(std::vector<TensorScan> scans) { scans_ = std::move(scans); }

  // The standardised keys among those that were read.
  const KnownKeys& known_keys() const {
    if (!known_keys_) known_keys_.emplace(file);
    return *known_keys_;
  }

  // The tensor table is complete and the alignment known (Needs::kLayout).
  const Placement& placement() const {
    if (!placement_) placement_ = PlaceTensors(file);
    return *placement_;
  }

 private:
  mutable std::optional<KnownKeys> known_keys_;
  mutable std::optional<Placement> placement_;
  std::vector<TensorScan> scans_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_MODEL_H_
