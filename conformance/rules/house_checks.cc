// What somebody asks of model files beyond the format: no built-in profile has
// these rules on, a configuration does.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/glob.h"
#include "conformance/rules/house.h"
#include "conformance/rules/sections.h"

namespace gguf {
namespace {

const HouseRules& HouseOf(const Model& model) {
  static const auto& nothing = *new HouseRules;
  return model.house() != nullptr ? *model.house() : nothing;
}

constexpr char kNobodySays[] = "no configuration says what is allowed";
constexpr char kHouse[] = "No norm: the [house] table of ggufcheck.toml.";

constexpr Rule kFileNameAllowed = {
    "house-file-name-allowed",
    ByProfile("----"),
    "The file's name shall be as the house wants it.",
    "Who serves or sorts the files relies on their names.",
    "Rename the file: the expression file-name of the configuration fits.",
    kHouse};

void FileNameAllowed(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (!house.file_name) return find.CannotCheck(kNobodySays);
  const absl::string_view name = model.file.name;
  if (name.empty()) return find.CannotCheck("the file has no name");
  if (RE2::FullMatch({name.data(), name.size()}, *house.file_name)) return;
  find({0, 0}, {"file", false, 0, {}, "name"}, "{name} does not fit {wanted}",
       {{"name", name},
        {"wanted", absl::string_view(house.file_name->pattern())}});
}

constexpr Rule kFileSizeAllowed = {
    "house-file-size-allowed",
    ByProfile("----"),
    "A file shall have no more bytes than the house takes.",
    "Storage and downloads are paid for by the byte.",
    "Quantize the model further, or split it into shards.",
    kHouse};

void FileSizeAllowed(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (!house.file_size) return find.CannotCheck(kNobodySays);
  const uint64_t size = model.file.size;
  if (size <= *house.file_size) return;
  find({0, 0}, {"file", false, 0, {}, "size"},
       "is {size} bytes, more than {most}",
       {{"size", size}, {"most", *house.file_size}});
}

// Whether all keys were read that the house may ask for; else tells the finder.
bool HasAllKeys(const Model& model, Finder& find) {
  if (!model.is_whole()) {
    find.CannotCheck(kJudgedInFirst);
    return false;
  }
  return model.file.legacy || model.file.progress >= Progress::kKeys;
}

constexpr Rule kArchitectureAllowed = {
    "house-architecture-allowed",
    ByProfile("----"),
    "The architecture shall be one that the house takes.",
    "The readers that serve the files were tried with these only.",
    "Choose a model of an architecture that the configuration lists.",
    kHouse};

void ArchitectureAllowed(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (house.architectures.empty()) return find.CannotCheck(kNobodySays);
  if (!HasAllKeys(model, find)) return;
  const std::string allowed = absl::StrJoin(house.architectures, ", ");
  bool found = false;
  for (const KeyValue& kv : model.file.keys) {
    if (kv.key.value != "general.architecture") continue;
    found = true;
    const auto name = model.file.String(kv);
    if (name && house.architectures.count(std::string(*name)) > 0) continue;
    find(kv.value, kv.subject().Of("value"), "{name} is none of {allowed}",
         {{"name", name.value_or("(no string)")},
          {"allowed", absl::string_view(allowed)}});
  }
  if (found) return;
  find({0, 0}, {"file"}, "names no architecture; allowed are {allowed}",
       {{"allowed", absl::string_view(allowed)}});
}

constexpr Rule kKeyPresent = {"house-key-present",
                              ByProfile("----"),
                              "The keys that the house wants shall be there.",
                              "Who publishes the files needs what they say.",
                              "Write the key into the file's metadata.",
                              kHouse};

void KeyPresent(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (house.keys.empty()) return find.CannotCheck(kNobodySays);
  if (!HasAllKeys(model, find)) return;
  for (const HouseRules::Key& key : house.keys) {
    if (model.FindKey(key.name) != nullptr) continue;
    find({0, 0}, {"kv", true, 0, key.name}, "is not there", {});
  }
}

bool FitsAny(absl::string_view text, const std::vector<std::string>& globs) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return MatchesGlob(text, glob);
  });
}

// Looks for the strings of a value that fit none of the globs.
struct MisfitVisitor : ValueVisitor {
  explicit MisfitVisitor(const std::vector<std::string>& the_globs)
      : globs(the_globs) {}

  void String(absl::string_view text, Range where, uint64_t element) {
    ++strings;
    if (!FitsAny(text, globs)) misfits.Add(text, where, element);
  }

  const std::vector<std::string>& globs;
  uint64_t strings = 0;
  FirstString misfits;
};

constexpr Rule kValueAllowed = {
    "house-value-allowed",
    ByProfile("----"),
    "A key's value shall be one that the house takes.",
    "A licence that nobody agreed to, for instance, cannot be published.",
    "Write one of the values that the configuration lists for the key.",
    kHouse};

void FindMisfit(const File& file, const KeyValue& kv,
                const std::vector<std::string>& globs, Finder& find) {
  if (FitsAny("", globs)) return;  // As * does: any value, of any type.
  const std::string allowed = absl::StrJoin(globs, ", ");
  const Arg wanted = {"allowed", absl::string_view(allowed)};
  if (const auto number = file.Unsigned(kv)) {
    if (FitsAny(absl::StrCat(*number), globs)) return;
    return find(kv.value, kv.subject().Of("value"),
                "is {number}, none of {allowed}",
                {{"number", *number}, wanted});
  }
  MisfitVisitor visitor(globs);
  WalkValue(file, kv, &visitor);
  if (visitor.strings == 0) {
    return find(kv.value, kv.subject().Of("value"),
                "is of type {type}, so none of {allowed}",
                {{"type", Word{kv.type->name}}, wanted});
  }
  const FirstString& misfits = visitor.misfits;
  if (misfits.count == 0) return;
  const Subject value = kv.subject().Of("value");
  find(misfits.where,
       kv.element_type == nullptr ? value : value.At(misfits.element),
       "{text} is none of {allowed}", {{"text", misfits.text}, wanted});
}

void ValueAllowed(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (house.keys.empty()) return find.CannotCheck(kNobodySays);
  if (!model.is_whole()) return find.CannotCheck(kJudgedInFirst);
  absl::flat_hash_map<absl::string_view, const HouseRules::Key*> wanted;
  for (const HouseRules::Key& key : house.keys) wanted[key.name] = &key;
  for (const KeyValue& kv : model.file.keys) {
    const auto key = wanted.find(kv.key.value);
    if (key == wanted.end()) continue;
    FindMisfit(model.file, kv, key->second->values, find);
  }
}

constexpr Rule kTensorTypeAllowed = {
    "house-tensor-type-allowed",
    ByProfile("----"),
    "A tensor's type shall be one that the house takes.",
    "The machines that serve the files have kernels for these only.",
    "Quantize the tensor to a type that the configuration lists.",
    kHouse};

void TensorTypeAllowed(const Model& model, Finder& find) {
  const HouseRules& house = HouseOf(model);
  if (house.tensor_types.empty()) return find.CannotCheck(kNobodySays);
  const std::string allowed = absl::StrJoin(house.tensor_types, ", ");
  for (const TensorInfo& tensor : model.file.tensors) {
    const TensorTypeInfo* type = tensor.type_info();
    if (type != nullptr && house.tensor_types.count(type->name) > 0) continue;
    find(tensor.type.where, tensor.subject().Of("type"),
         "is {type}, none of {allowed}",
         {{"type", Word{type != nullptr ? type->name
                                        : absl::StrCat(tensor.type.value)}},
          {"allowed", absl::string_view(allowed)}});
  }
}

constexpr Check kChecks[] = {
    {&kFileNameAllowed, Needs::kName, FileNameAllowed, Files::kAll},
    {&kFileSizeAllowed, Needs::kName, FileSizeAllowed, Files::kAll},
    {&kArchitectureAllowed, Needs::kKeys, ArchitectureAllowed, Files::kAll},
    {&kTensorTypeAllowed, Needs::kTensors, TensorTypeAllowed, Files::kAll},
    {&kKeyPresent, Needs::kKeys, KeyPresent, Files::kAll},
    {&kValueAllowed, Needs::kKeys, ValueAllowed, Files::kAll},
};

}  // namespace

absl::Span<const Check> HouseChecks() { return kChecks; }

std::vector<const Rule*> RulesOf(const HouseRules& house) {
  std::vector<const Rule*> rules;
  if (house.file_name) rules.push_back(&kFileNameAllowed);
  if (house.file_size) rules.push_back(&kFileSizeAllowed);
  if (!house.architectures.empty()) rules.push_back(&kArchitectureAllowed);
  if (!house.tensor_types.empty()) rules.push_back(&kTensorTypeAllowed);
  if (!house.keys.empty()) {
    rules.insert(rules.end(), {&kKeyPresent, &kValueAllowed});
  }
  return rules;
}

}  // namespace gguf
