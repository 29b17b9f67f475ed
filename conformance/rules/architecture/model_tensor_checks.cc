// Checks of which tensors a model of an architecture has.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/name_hash.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/spec_tensors.h"
#include "conformance/tables/stacks.h"

namespace gguf {
namespace {

constexpr char kUndecided[] = "a hyperparameter that decides which tensors there are is not known";

void ModelTensorsKnown(const CheckContext& context, Finder& find) {
  const absl::string_view architecture = context.model.whole().hparams().architecture_name();
  for (const TensorInfo& tensor : context.model.file.tensors) {
    const Role role = context.model.RoleOf(tensor).role;
    if (role == Role::kUndecided) find.CannotCheck(kUndecided);
    if (role != Role::kUnknown && role != Role::kNotAsked) continue;
    find(tensor.name.where, tensor.subject(),
         role == Role::kUnknown ? "is not a tensor of the architecture {architecture}"
                                : "is a tensor of the architecture {architecture}, but not with "
                                  "these hyperparameters and the other tensors",
         {{"architecture", architecture}});
  }
}

// "blk.%d.ffn_gate.%d.weight" -> "blk.N.ffn_gate.N.weight"
Trusted NumbersShown(absl::string_view pattern) {
  return Trusted{absl::StrReplaceAll(pattern, {{"%d", "N"}})};
}

// Reports each old name once in a file, because every expert has a tensor of
// its own.
void ModelTensorNamesCurrent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  absl::flat_hash_map<const RenamedTensorRow*, uint64_t> counts;
  for (const TensorInfo& tensor : model.file.tensors) {
    ++counts[model.RoleOf(tensor).renamed];
  }
  for (const TensorInfo& tensor : model.file.tensors) {
    const TensorRole& role = model.RoleOf(tensor);
    if (role.role != Role::kRenamed) continue;
    const auto count = counts.find(role.renamed);
    if (count == counts.end()) continue;
    find(tensor.name.where, tensor.subject(),
         count->second == 1
             ? "is named {name} ({why}); llama.cpp reads {successor}"
             : "is the first of {count} tensors named {name} ({why}); llama.cpp reads {successor}",
         {{"count", count->second},
          {"name", NumbersShown(role.renamed->name)},
          {"why", Trusted{role.renamed->why}},
          {"successor", NumbersShown(role.renamed->successor)}});
    counts.erase(count);
  }
}

// Returns whether tensors have names that are not in the tables, and none has
// the name of a block.
bool HasOtherNames(const Model& model) {
  bool has_other = false;
  for (const TensorRole& role : model.tensor_roles().roles()) {
    if (role.role == Role::kBeyond) return false;
    has_other |= role.role == Role::kUnknown;
  }
  for (const StackRow& stack : kStacks.Of(model.hparams().architecture())) {
    if (!model.tensor_roles().BlocksOf(stack.prefix).empty()) return false;
  }
  return has_other;
}

// Returns the message about missing blocks.  If they may be those for
// prediction, which are the last few, it says so.
absl::string_view MessageAbout(const Hparams& hparams, const MissingBlocks& missing,
                               int64_t count) {
  constexpr int64_t kMost = 4;  // More than any published model has.
  // Other architectures have none among the blocks that their keys count.
  const bool can_predict = missing.stack->count.source == absl::string_view("n_layer_all");
  const int64_t nextn = hparams.Get(Symbol::kNextnPredictLayers).value_or(0);
  if (can_predict && missing.last == count - 1 && missing.first > 0) {
    if (nextn > 0 && missing.first >= count - nextn) {
      return "gives {count block|blocks}, but there are no tensors of {blocks}; by {key}, the last "
             "are for prediction (multi-token prediction): if the file is meant to lack them, "
             "remove the key and lower the count";
    }
    if (nextn == 0 && missing.last - missing.first < kMost) {
      return "gives {count block|blocks}, but there are no tensors of {blocks}; if the count "
             "includes blocks for prediction (multi-token prediction), which the file lacks, {key} "
             "is missing";
    }
  }
  return "gives {count block|blocks}, but there are no tensors of {blocks}";
}

void ModelBlocksPresent(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  for (const Component& component : ComponentsOf(model)) {
    if (!component.is_encoder && HasOtherNames(model)) {
      return find.CannotCheck("no tensor has the name of a block");
    }
    const KeyValue* count = component.hparams.Key(Symbol::kNLayerAll);
    for (const MissingBlocks& missing : component.roles.missing_blocks()) {
      const absl::string_view prefix = missing.stack->prefix;
      std::string blocks = absl::StrCat(prefix, missing.first);
      if (missing.last > missing.first) {
        absl::StrAppend(&blocks, " to ", prefix, missing.last);
      }
      const auto number = component.roles.CountOf(prefix);
      if (count == nullptr || !number) {
        find(component.stated, "is that of a model with blocks after {blocks}, which are missing",
             {{"blocks", Trusted{blocks}}});
        continue;
      }
      find(count->at_value(), MessageAbout(component.hparams, missing, *number),
           {{"count", uint64_t(*number)},
            {"blocks", Trusted{blocks}},
            {"key", Trusted{component.hparams.Expand("{arch}.nextn_predict_layers")}}});
    }
  }
}

// Reports each block once, at its first tensor in the file.
void ModelBlockInCount(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const TensorRoles& roles = model.whole().tensor_roles();
  const Hparams& hparams = model.whole().hparams();
  const int64_t nextn = hparams.Get(Symbol::kNextnPredictLayers).value_or(0);
  NameSet<std::string> seen;
  for (const TensorInfo& tensor : model.file.tensors) {
    const TensorRole& role = model.RoleOf(tensor);
    if (role.role != Role::kBeyond) continue;
    const BlockName name = ParseBlockName(tensor.name.value);
    const std::string block = hparams.Expand(std::string(name.prefix) + "%d", role.block);
    if (!seen.insert(block).second) continue;
    const int64_t count = *roles.CountOf(name.prefix);
    // Blocks for prediction are not counted where llama.cpp reads none.
    const bool is_counted = nextn > 0 && role.block >= count && role.block < count + nextn;
    find(tensor.name.where, tensor.subject(),
         is_counted ? "is of {block}, but by {key} the model has {count block|blocks} without "
                      "those for prediction (multi-token prediction), which llama.cpp does not "
                      "read in this architecture"
                    : "is of {block}, but the number of blocks is {count}",
         {{"block", absl::string_view(block)},
          {"count", uint64_t(count)},
          {"key", Trusted{hparams.Expand("{arch}.nextn_predict_layers")}}});
  }
}

}  // namespace

constexpr RuleTable kModelTensorRules = {
    {.id = "model-tensors-present",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A model shall have every tensor that its architecture requires, a projector those "
                "of its type, and each block every tensor that a block requires.",
     .why = "llama.cpp refuses the file at the first tensor that it does not find.",
     .repair = "Convert the model again; keep the shards of a split model together.",
     .citation = "Not in the specification; required by the architecture's loader in llama.cpp.",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithComponents},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const Component& component : ComponentsOf(context.model)) {
             for (const MissingTensor& missing : component.roles.missing()) {
               const std::string name = component.hparams.Expand(missing.row->name, missing.block);
               find(component.stated,
                    "is {architecture}, but the required tensor {tensor} is missing",
                    {{"architecture", component.name}, {"tensor", name}});
             }
             if (component.roles.undecided()) find.CannotCheck(kUndecided);
           }
         }},
    {.id = "model-blocks-present",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kError},
     .summary = "There shall be tensors for every block, from 0 to the number of blocks minus 1.",
     .why = "Readers create block_count blocks and look for the tensors of each.",
     .repair = "Correct block_count, or convert the model again.",
     .citation = "gguf.md, [llm].block_count: the number of blocks; llama.cpp refuses the file.",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithComponents},
     .check = ModelBlocksPresent},
    {.id = "model-blocks-named",
     .severities = {.upload = kError, .spec = kNote, .llama_cpp = kError},
     .summary = "The tensors of the blocks shall have the names that readers look up.",
     .why = "Readers look for the tensors of each block under names such as blk.0.attn_q.weight, "
            "and find none. The specification only recommends these names.",
     .repair = "Convert the model again with a current converter.",
     .citation = "gguf.md, \"Standardized tensor names\": \"it is recommended that models using "
                 "the transformer architecture use the following naming convention for their "
                 "tensors\"; llama.cpp refuses the file.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithRoles},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const TensorRoles& roles = model.tensor_roles();
           if (roles.missing_blocks().empty() || !HasOtherNames(model)) return;
           const absl::string_view prefix = roles.missing_blocks().front().stack->prefix;
           for (const TensorInfo& tensor : model.file.tensors) {
             if (model.RoleOf(tensor).role != Role::kUnknown) continue;
             return find(
                 tensor.name.where, tensor.subject(),
                 "is the first tensor with another name; the names of blocks begin with {prefix}",
                 {{"prefix", Trusted{absl::StrCat(prefix, "N.")}}});
           }
         }},
    {.id = "model-block-in-count",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kError},
     .summary = "A block's number shall be below the number of blocks.",
     .why = "llama.cpp refuses tensors that its loader does not look up; other readers skip such "
            "blocks and run a smaller model.",
     .repair = "Correct block_count, or remove the blocks.",
     .citation = "gguf.md, [llm].block_count: the number of blocks; llama.cpp refuses the file.",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check = ModelBlockInCount},
    {.id = "model-tensors-known",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kError},
     .summary = "A tensor should be one that the architecture's loader looks up.",
     .why = "llama.cpp refuses a file with a tensor that its loader does not look up, such as a "
            "fused tensor alongside the two tensors that it combines.",
     .repair = "Remove the tensor, or use a newer ggufcheck, which may know it.",
     .citation = "Not in the specification; llama.cpp's loader throws \"wrong number of tensors\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check = ModelTensorsKnown},
    {.id = "model-tensor-names-current",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A tensor shall have the name under which llama.cpp reads it.",
     .why = "llama.cpp looks for a different name, or for a single tensor with all experts; it "
            "finds neither and refuses the file.",
     .repair = "Convert the model again with a current converter.",
     .citation = "Not in the specification; llama.cpp merged the experts' tensors in April 2024 "
                 "and no longer reads separate ones; it never read some of the names in gguf.md.",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     .check = ModelTensorNamesCurrent},
    {.id = "model-tensor-names-standard",
     .severities = {.spec = kNote},
     .summary = "A tensor should have a name that the specification recommends.",
     .why = "A reader that follows only the specification does not find a tensor under any other "
            "name.",
     .repair = "No change is needed if your readers know the name.",
     .citation = "gguf.md, \"Standardized tensor names\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyWithRoles},
     // Reports each name once in a file, whatever the block.
     .check =
         [](const CheckContext& context, Finder& find) {
           NameSet<std::string> seen;
           for (const SpecTensorRow& row : kSpecTensors) {
             for (const char* suffix : {".weight", ".bias"}) {
               seen.insert(std::string(row.name) + suffix);
             }
           }
           for (const TensorInfo& tensor : context.model.file.tensors) {
             std::string pattern = ParseBlockName(tensor.name.value).pattern;
             if (!seen.insert(std::move(pattern)).second) continue;
             find(tensor.name.where, tensor.subject(),
                  "has a name that is not in the specification", {});
           }
         }},
};

}  // namespace gguf
