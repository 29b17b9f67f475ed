// Which files the rules about language models are for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_H_

#include "absl/strings/string_view.h"
#include "conformance/rules/check.h"
#include "conformance/rules/model.h"
#include "conformance/rules/reason.h"
#include "conformance/rules/tables/required_keys.h"

namespace gguf {

// Why the keys of a shard are not judged as those of a model.
inline constexpr char kKeysInFirst[] =
    "the keys of the model are in its first shard, which is not at hand";

// Why the keys of this file cannot be judged as those of a language model, for
// Finder::CannotCheck; empty when they can be.  kJudgedInFirst in a later shard
// of a set.
Reason WhyKeysNotJudged(const Model& model);

// The same for its tensors.
Reason WhyTensorsNotJudged(const Model& model);

// Why the tensors at hand are not all of the model's; empty when they are.
Reason WhyInPart(const Model& model);

// Whether the key of this row, or the other that will do, is there.
bool HasKey(const Model& model, const RequiredKey& row);

// Whether a key is required that is so only when `when` holds; empty is always.
// Tells the finder when that is not known.
bool IsRequired(const Model& model, absl::string_view key, const Expr& when,
                Finder& find);

// Whether llama-cpp-keys-present reports a key.
bool LacksKeyOfLoader(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_H_
