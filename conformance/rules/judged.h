// Requirements of checks that several sections share, most of them about
// language models.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_H_

#include "absl/strings/string_view.h"
#include "conformance/rules/check.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/tables/required_keys.h"

namespace gguf {

// Why the keys of a shard are not judged as those of a model.
inline constexpr char kKeysInFirst[] =
    "the keys of the model are in its first shard, which is not at hand";

// Files that have a name.
Reason OnlyNamed(const Model& model);

// Files that are alone, and the first shard of a set.
Reason OnlyFirstShard(const Model& model);

// Files of this kind, as far as keys and tensors agree on it.
template <GgufKind kind>
Reason OnlyKind(const Model& model) {
  return model.kind().Is(kind) ? Reason() : Reason::Silent();
}

// Files with the keys of a language model.
Reason OnlyModels(const Model& model);

// Files of which all tensors are at hand, if need be in other shards.
Reason OnlyWithAllTensors(const Model& model);

// Language models with all of their tensors.
Reason OnlyWholeModels(const Model& model);

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
