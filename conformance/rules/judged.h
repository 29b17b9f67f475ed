// Which files the rules about language models are for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_H_

#include "absl/strings/string_view.h"
#include "conformance/rules/model.h"

namespace gguf {

// Why the keys of this file cannot be judged as those of a language model, for
// Finder::CannotCheck; empty when they can be.
absl::string_view WhyKeysNotJudged(const Model& model);

// The same for its tensors: of a set of shards, none has them all.
absl::string_view WhyTensorsNotJudged(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_H_
