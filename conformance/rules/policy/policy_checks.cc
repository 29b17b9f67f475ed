// The rules of the user's policy, which go beyond the format.  No built-in
// profile has them on; a configuration turns them on.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr char kPolicy[] = "Not in the specification: the [policy] table of ggufcheck.toml.";

bool LimitsNames(const Policy& policy) { return policy.file_name != nullptr; }
bool LimitsSize(const Policy& policy) { return policy.file_size.has_value(); }
bool LimitsArchitectures(const Policy& policy) { return !policy.architectures.empty(); }
bool LimitsTypes(const Policy& policy) { return !policy.tensor_types.empty(); }
bool LimitsKeys(const Policy& policy) { return !policy.keys.empty(); }

// Requires that the policy limits this.
template <bool (*limits)(const Policy&)>
Reason OnlyIf(const CheckContext& context) {
  return context.policy != nullptr && limits(*context.policy) ? Reason()
                                                              : "your policy does not limit it";
}

void ArchitectureAllowed(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Policy& policy = *context.policy;
  const std::string allowed = absl::StrJoin(policy.architectures, ", ");
  for (const KeyValue& kv : model.file.keys) {
    if (kv.key.value != "general.architecture") continue;
    const auto name = model.file.String(kv);
    if (name && policy.architectures.count(std::string(*name)) > 0) continue;
    find(kv.at_value(), "is {name}, not one of {allowed}",
         {{"name", name.value_or("(not a string)")}, {"allowed", absl::string_view(allowed)}});
  }
  if (model.FindKey("general.architecture") != nullptr) return;
  find({0, 0}, {"file"}, "has no general.architecture; your policy allows {allowed}",
       {{"allowed", absl::string_view(allowed)}});
}

bool MatchesAny(absl::string_view text, const std::vector<std::string>& globs,
                bool any_case = false) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return any_case ? MatchesGlob(absl::AsciiStrToLower(text), absl::AsciiStrToLower(glob))
                    : MatchesGlob(text, glob);
  });
}

// Returns whether the key's values are identifiers of licences, whose case does
// not matter (SPDX 2.3, annex D).
bool IsLicense(absl::string_view key) { return key == "general.license"; }

void FindMisfit(const File& file, const KeyValue& kv, const std::vector<std::string>& globs,
                Finder& find) {
  if (MatchesAny("", globs)) return;  // As * does: any value, of any type.
  const std::string allowed = absl::StrJoin(globs, ", ");
  const Arg wanted = {"allowed", absl::string_view(allowed)};
  if (const auto number = file.Unsigned(kv)) {
    if (MatchesAny(absl::StrCat(*number), globs)) return;
    return find(kv.at_value(), "is {number}, not one of {allowed}", {{"number", *number}, wanted});
  }
  uint64_t strings = 0;
  const FirstString misfits = FindString(file, kv, [&](absl::string_view text) {
    ++strings;
    return !MatchesAny(text, globs, IsLicense(kv.key.value));
  });
  if (strings == 0) {
    return find(kv.at_value(), "is of type {type}, so it is not one of {allowed}",
                {{"type", Trusted{kv.type->name}}, wanted});
  }
  if (misfits.count == 0) return;
  find(misfits.where, misfits.SubjectOf(kv), "is {text}, not one of {allowed}",
       {{"text", misfits.text}, wanted});
}

}  // namespace

constexpr RuleTable kPolicyRules = {
    {.id = "policy-file-name-allowed",
     .summary = "The file's name shall match the pattern of your policy.",
     .why = "Programs that serve or sort the files rely on their names.",
     .repair = "Rename the file so that it matches file-name in [policy].",
     .citation = kPolicy,
     .needs = Needs::kName,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsNames>, OnlyNamed},
     .check =
         [](const CheckContext& context, Finder& find) {
           const RE2& wanted = *context.policy->file_name;
           const absl::string_view name = context.model.file.name;
           if (RE2::FullMatch({name.data(), name.size()}, wanted)) return;
           find({0, 0}, {"file", false, 0, {}, "name"}, "{name} does not match {wanted}",
                {{"name", name}, {"wanted", absl::string_view(wanted.pattern())}});
         }},
    {.id = "policy-file-size-allowed",
     .summary = "A file shall not be larger than your policy allows.",
     .why = "Every byte that is stored or downloaded costs money.",
     .repair = "Quantize the model further, or split it into shards.",
     .citation = kPolicy,
     .needs = Needs::kName,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsSize>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const uint64_t size = context.model.file.size;
           const uint64_t most = *context.policy->file_size;
           if (size <= most) return;
           find({0, 0}, {"file", false, 0, {}, "size"},
                "is {size byte|bytes}, but your policy allows {most}",
                {{"size", size}, {"most", most}});
         }},
    {.id = "policy-architecture-allowed",
     .summary = "The architecture shall be one that your policy allows.",
     .why = "For example, the servers that load the files may have been tested only with the "
            "listed architectures.",
     .repair = "Choose a model of an architecture that [policy] lists.",
     .citation = kPolicy,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsArchitectures>, OnlyFirstShard, OnlyWithAllKeys},
     .check = ArchitectureAllowed},
    {.id = "policy-tensor-type-allowed",
     .summary = "A tensor's type shall be one that your policy allows.",
     .why =
         "For example, the servers that load the files may have kernels only for the listed types.",
     .repair = "Quantize the tensor to a type that [policy] lists.",
     .citation = kPolicy,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsTypes>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Policy& policy = *context.policy;
           const std::string allowed = absl::StrJoin(policy.tensor_types, ", ");
           for (const TensorInfo& tensor : context.model.file.tensors) {
             const std::string type = tensor.TypeName();
             if (policy.tensor_types.count(type) > 0) continue;
             find(tensor.type.where, tensor.subject().Of("type"), "is {type}, not one of {allowed}",
                  {{"type", Trusted{type}}, {"allowed", absl::string_view(allowed)}});
           }
         }},
    {.id = "policy-key-present",
     .summary = "A file shall have the keys that your policy requires.",
     .why = "The publishers of the files need these values.",
     .repair = "Write the key into the file's metadata.",
     .citation = kPolicy,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsKeys>, OnlyFirstShard, OnlyWithAllKeys},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const Policy::Key& key : context.policy->keys) {
             if (context.model.FindKey(key.name) != nullptr) continue;
             find({0, 0}, {"kv", true, 0, key.name}, "is missing", {});
           }
         }},
    {.id = "policy-value-allowed",
     .summary = "A key's value shall be one that your policy allows.",
     .why = "For example, a model whose licence was not approved cannot be published.",
     .repair = "Write one of the values that [policy.keys] lists for the key.",
     .citation = kPolicy,
     .files = Files::kAll,
     .against = Against::kPolicy,
     .requirements = {OnlyIf<LimitsKeys>, OnlyFirstShard},
     .check =
         [](const CheckContext& context, Finder& find) {
           absl::flat_hash_map<absl::string_view, const Policy::Key*> wanted;
           for (const Policy::Key& key : context.policy->keys) {
             wanted[key.name] = &key;
           }
           for (const KeyValue& kv : context.model.file.keys) {
             const auto key = wanted.find(kv.key.value);
             if (key == wanted.end()) continue;
             FindMisfit(context.model.file, kv, key->second->values, find);
           }
         }},
};

std::vector<const Rule*> RulesOf(const Policy& policy) {
  const Model no_model{File()};
  CheckContext context{no_model};
  context.policy = &policy;
  std::vector<const Rule*> rules;
  for (const Rule& rule : kPolicyRules) {
    // The first requirement of each rule is that the policy limits it.
    const bool is_limited = rule.requirements[0].of_context(context).empty();
    if (is_limited) rules.push_back(&rule);
  }
  return rules;
}

}  // namespace gguf
