// What several sections of rules share: requirements of checks, most of them
// about language models and their tokens, and the version of the tables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_REQUIREMENTS_H_
#define GGUF_CONFORMANCE_RULES_REQUIREMENTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/check.h"
#include "conformance/tables/computed_types.h"
#include "conformance/tables/pre_tokenizers.h"
#include "conformance/tables/required_keys.h"

namespace gguf {

// Returns why the first unmet requirement of a rule is not met; empty when all
// are.
Reason WhyNot(const Rule& rule, const CheckContext& context);

// The citation of the rules of comparisons: the claim of whoever made the file.
inline constexpr char kClaim[] =
    "Not in the specification; files that llama.cpp's quantizer and converters write meet this "
    "requirement.";

// The reason why the keys of a shard are not checked as a model's.
inline constexpr char kKeysInFirst[] =
    "the keys of the model are in its first shard, which is not at hand";

// Requires that the file has a name.
Reason OnlyNamed(const Model& model);

// Requires a file on its own or the first shard of a set.
Reason OnlyFirstShard(const Model& model);

// Requires that all keys were read; legacy files have none.
Reason OnlyWithAllKeys(const Model& model);

// Requires this kind of file, as far as keys and tensors agree on it.
template <GgufKind kind>
Reason OnlyKind(const Model& model) {
  return model.kind().Is(kind) ? Reason() : Reason::Silent();
}

// Requires this kind of file, as far as keys or tensors say so.
template <GgufKind kind>
Reason OnlyLike(const Model& model) {
  return model.kind().MayBe(kind) ? Reason() : Reason::Silent();
}

// Requires any file but an image model: programs for image models accept some
// things that others reject.
Reason NoImageModels(const Model& model);

// Requires the keys of a language model.
Reason OnlyModels(const Model& model);

// Requires that all tensors are available, if need be in other shards.
Reason OnlyWithAllTensors(const Model& model);

// Requires a language model with all of its tensors.
Reason OnlyWholeModels(const Model& model);

// Requires a whole language model with tensors, of an architecture in the
// tables.  A check reads the tensors of its own file, but the tensor_roles()
// and hyperparameters of model.whole().
Reason OnlyWithRoles(const Model& model);

// Component: what the tables say of a language model, or of an encoder of a projector.
struct Component {
  const Hparams& hparams;
  const TensorRoles& roles;
  absl::string_view name;  // Of the architecture, or of the encoder's type.
  Location stated;         // Where the file states it.
  bool is_encoder = false;

  // Returns the role of a tensor of this file.
  const TensorRole& RoleOf(const Model& model, const TensorInfo& tensor) const {
    return is_encoder ? roles.roles()[tensor.index] : model.RoleOf(tensor);
  }
};

// Requires a file with at least one: a language model as OnlyWithRoles does, or a projector of a
// type that the tables describe.
Reason OnlyWithComponents(const Model& model);

// Returns the parts of such a file; of a shard, those of the whole model.
std::vector<Component> ComponentsOf(const Model& model);

// Requires the keys of a language model or of a projector.
Reason OnlyModelsOrProjectors(const Model& model);

// Returns whether the key of this row, or its alternative, is present.
bool HasKey(const Model& model, const RequiredKey& row);

// Returns whether a key is required: when `when` holds, or always if it is
// empty.  Tells the finder when that is not known.
bool IsRequired(const Model& model, absl::string_view key, const Expr& when, Finder& find);

// Returns whether llama-cpp-keys-present reports a key.
bool LacksKeyOfLoader(const Model& model);

// Requires tokens that can be checked.  A default for an absent key can be
// checked only where all keys were read as well: OnlyModels.
Reason OnlyWithVocabulary(const Model& model);

// Returns the key of this name if it is an array of `type`, else null.
const KeyValue* ArrayKey(const Model& model, absl::string_view name, ValueType type);

// Returns element `i` of an array of numbers; the value of a key without it.
Location ElementOf(const KeyValue& kv, uint64_t i);

// Returns where to report that a key is absent: at the number of keys.
inline Location AbsentKey(const Model& model, absl::string_view key) {
  return {model.file.key_count.where, {"kv", true, 0, key}};
}

// Requires such a key.
template <const char* name, ValueType type>
Reason OnlyWithArray(const Model& model) {
  return ArrayKey(model, name, type) != nullptr ? Reason() : Reason::Silent();
}

// Returns the row of the file's tokenizer.ggml.pre as llama.cpp reads it; null
// when it is absent or not known.
const PreTokenizerRow* FindPreTokenizer(const Model& model);

// Returns the row that forbids a tensor of the name to have the type, or null.
const ComputedType* ForbidsType(uint16_t architecture, absl::string_view name, uint32_t type);

// Returns the release and date of the llama.cpp that the tables follow, as in
// readers.tsv: "v0.5.0 of September 2026".
const char* TablesVersion();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_REQUIREMENTS_H_
