// Reads the headers of *.safetensors, and the scaling of the rotary position
// embedding from config.json, which becomes keys or a tensor.
//
// Format of *.safetensors: a u64, little-endian, is the length of the JSON
// object that follows; its members are the tensors, by name, with their shape.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/source_tensors.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/compare/read_source.h"
#include "conformance/compare/source_files.h"
#include "conformance/model/tensor_roles.h"

namespace gguf {
namespace {

// That of safetensors itself.
constexpr uint64_t kMostHeaderBytes = 100'000'000;

constexpr char kIndex[] = "model.safetensors.index.json";

absl::Status Wrong(absl::string_view file, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(Quote(file), " ", what));
}

// Returns the header, or null if there is no such file.
absl::StatusOr<SourceJson> ReadHeader(const ReadSourceFile& read, const std::string& name) {
  constexpr uint64_t kBeginning = 1024;  // Enough for a Git LFS pointer.
  const auto begin = read(name, kBeginning);
  if (absl::IsNotFound(begin.status())) return SourceJson();
  if (!begin.ok()) return begin.status();
  if (begin->size() < sizeof(uint64_t)) return Wrong(name, "is too short");
  const auto size = LoadUnsigned<uint64_t>(AsBytes(*begin).data(), Endian::kLittle);
  if (size > kMostHeaderBytes) return Wrong(name, "has no safetensors header");
  const auto text = read(name, sizeof(uint64_t) + size);
  if (!text.ok()) return text.status();
  if (text->size() != sizeof(uint64_t) + size) {
    return Wrong(name, "ends in its header");
  }
  SourceJson header = SourceJson::parse(text->begin() + sizeof(uint64_t), text->end(), nullptr,
                                        /*allow_exceptions=*/false);
  if (!header.is_object()) return Wrong(name, "has no safetensors header");
  return header;
}

// Returns the names of the files with the tensors.
absl::StatusOr<std::set<std::string>> FindFiles(const ReadSourceFile& read) {
  const auto index = ReadJson(read, kIndex);
  if (!index.ok()) return index.status();
  std::set<std::string> names;
  if (const SourceJson* map = FindMember(*index, "weight_map")) {
    for (const SourceJson& file : *map) {
      if (!file.is_string()) return Wrong(kIndex, "has a file without a name");
      const auto name = file.get<std::string>();
      // A file of the folder, not of any other.
      if (absl::StrContains(name, '/') || absl::StrContains(name, '\0') ||
          !absl::EndsWith(name, ".safetensors")) {
        return Wrong(kIndex, "names a file that is not *.safetensors");
      }
      names.insert(name);
    }
  }
  if (names.empty()) names.insert("model.safetensors");
  return names;
}

// Returns a name as in source_tensors.tsv.
std::string PlainName(absl::string_view name, absl::string_view architecture) {
  std::string plain = absl::StrReplaceAll(name, {{"language_model.", ""}});
  absl::string_view rest = plain;
  if (architecture == "bert") {
    absl::ConsumePrefix(&rest, "bert.");
    plain = absl::StrReplaceAll(rest, {{".gamma", ".weight"}, {".beta", ".bias"}});
  } else if (absl::StartsWith(rest, "layers.") || absl::StartsWith(rest, "embed_tokens.") ||
             absl::StartsWith(rest, "norm.")) {
    plain = absl::StrCat("model.", rest);
  }
  return plain;
}

// Returns whether the name is that of another part of a model for images.
bool IsOfImages(absl::string_view name) {
  return absl::StrContains(name, "vision_tower.") ||
         absl::StrContains(name, "multi_modal_projector.");
}

// Returns the row of a pattern, or null.
const SourceTensorRow* FindRow(absl::string_view pattern, absl::string_view architecture) {
  const SourceTensorRow* found = nullptr;
  for (const SourceTensorRow& row : kSourceTensors) {
    if (pattern != row.name) continue;
    if (row.only == architecture) return &row;
    if (absl::string_view(row.only) == "*") found = &row;
  }
  return found;
}

// A tensor's name in a model's folder: its row, or null, and its parts.
struct SourceName {
  SourceName(absl::string_view name, absl::string_view architecture)
      : plain(PlainName(name, architecture)) {
    absl::string_view stem = plain;
    for (const absl::string_view end : {".weight", ".bias"}) {
      if (absl::ConsumeSuffix(&stem, end)) suffix = end;
    }
    block = ParseBlockName(stem);
    row = FindRow(block.pattern, architecture);
    // Also a whole name, such as that of a bias alone.
    if (row == nullptr) row = FindRow(plain, architecture);
  }
  SourceName(const SourceName&) = delete;

  std::string plain;  // The other members refer to it.
  absl::string_view suffix;
  BlockName block;
  const SourceTensorRow* row = nullptr;
};

// Adds a tensor.  Returns false if it is not known.
bool AddTensor(const std::string& name, const SourceJson& shape, SourceModel* model) {
  const SourceName source(name, model->architecture);
  if (source.row == nullptr || !shape.is_array()) return false;
  if (absl::string_view(source.row->tensor) == "-") return true;
  SourceModel::Tensor tensor;
  for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
    if (!dim->is_number_unsigned()) return false;
    tensor.dims.push_back(dim->get<uint64_t>());
  }
  tensor.from = name;
  const std::string number = absl::StrCat(source.block.block);
  model->tensors.emplace(
      absl::StrCat(absl::StrReplaceAll(source.row->tensor, {{"%d", number}}), source.suffix),
      std::move(tensor));
  return true;
}

// Changes what the converter changes.
void Adjust(const SourceFiles& files, SourceModel* model) {
  const SourceJson* tied = FindMember(files.config, "tie_word_embeddings");
  if (tied != nullptr && *tied == true) {
    model->optional_tensors.insert("output.weight");
  }
  const auto embedding = model->tensors.find("token_embd.weight");
  if (embedding == model->tensors.end()) return;
  // It cuts off the rows of gemma3 for which there are no tokens.
  if (model->architecture == "gemma3") {
    embedding->second.has_row_by_token = true;
  }
  // A reranker has the rows of "yes" and "no" as a classifier.
  if (model->architecture == "qwen3" && !embedding->second.dims.empty()) {
    constexpr char kClassifier[] = "cls.output.weight";
    model->tensors[kClassifier] = {{embedding->second.dims[0], 2}, embedding->second.from};
    model->optional_tensors.insert(kClassifier);
  }
}

// Numbers of YaRN, and their keys.  Older converters leave them out.
constexpr std::pair<const char*, const char*> kYarn[] = {
    {"extrapolation_factor", "yarn_ext_factor"},
    {"attention_factor", "yarn_attn_factor"},
    {"beta_fast", "yarn_beta_fast"},
    {"beta_slow", "yarn_beta_slow"}};

// The object that describes the embedding.
struct Rope {
  const SourceJson* json = nullptr;
  std::string path;       // "rope_scaling".
  std::string type_name;  // The member's: "rope_type".
  std::string type = "default";

  std::string From(absl::string_view member) const {
    return absl::StrCat("config.json: ", path, ".", member);
  }
};

Rope FindRope(const SourceJson& config) {
  Rope rope;
  for (const char* path : {"rope_parameters", "rope_scaling"}) {
    rope.json = FindMember(config, path);
    rope.path = path;
    if (rope.json != nullptr) break;
  }
  if (rope.json == nullptr) return rope;
  constexpr char kFull[] = "full_attention";
  if (const SourceJson* full = FindMember(*rope.json, kFull)) {
    rope.json = full;
    absl::StrAppend(&rope.path, ".", kFull);
  }
  for (const char* name : {"rope_type", "type"}) {
    const SourceJson* type = FindMember(*rope.json, name);
    if (type == nullptr) continue;
    rope.type_name = name;
    if (type->is_string()) rope.type = type->get<std::string>();
    break;
  }
  return rope;
}

void AddKey(absl::string_view key, SourceValue value, std::string from, bool may_lack,
            SourceModel* model) {
  model->keys.push_back(
      {absl::StrCat("{arch}.rope.scaling.", key), std::move(value), std::move(from), may_lack});
}

// Adds the keys of linear scaling and of YaRN.
void AddScaling(const Rope& rope, SourceModel* model) {
  const SourceJson* factor = FindMember(*rope.json, "factor");
  if (factor == nullptr || !factor->is_number()) return;
  AddKey("type", rope.type, rope.From(rope.type_name), false, model);
  AddKey("factor", factor->get<double>(), rope.From("factor"), false, model);
  if (rope.type != "yarn") return;
  constexpr char kOriginal[] = "original_max_position_embeddings";
  const SourceJson* length = FindMember(*rope.json, kOriginal);
  if (length != nullptr && IsInteger(*length)) {
    AddKey("original_context_length", length->get<int64_t>(), rope.From(kOriginal), false, model);
  }
  for (const auto& [member, key] : kYarn) {
    const SourceJson* number = FindMember(*rope.json, member);
    if (number == nullptr || !number->is_number()) continue;
    AddKey(key, number->get<double>(), rope.From(member), true, model);
  }
}

// Adds the tensor with a factor for each pair of dimensions, for Llama 3.
void AddFactors(const SourceJson& config, const Rope& rope, SourceModel* model) {
  const auto number = [&](const char* name) -> uint64_t {
    const SourceJson* json = FindMember(config, name);
    return json != nullptr && json->is_number_unsigned() ? json->get<uint64_t>() : 0;
  };
  const uint64_t heads = number("num_attention_heads");
  uint64_t dims = number("head_dim");
  if (dims == 0 && heads > 0) dims = number("hidden_size") / heads;
  if (dims == 0) return;
  model->tensors["rope_freqs.weight"] = {{dims / 2 + dims % 2}, rope.From(rope.type_name)};
}

}  // namespace

bool IsSourceTensorName(absl::string_view name, absl::string_view architecture) {
  return SourceName(name, architecture).row != nullptr;
}

absl::Status AddTensors(const SourceFiles& files, SourceModel* model) {
  if (!model->why_no_tensors.empty()) return absl::OkStatus();
  const auto names = FindFiles(files.read);
  if (!names.ok()) return names.status();
  bool has_tensors = false;
  for (const std::string& name : *names) {
    const auto header = ReadHeader(files.read, name);
    if (!header.ok()) return header.status();
    if (header->is_null()) {
      model->why_no_tensors = absl::StrCat("the source has no ", Quote(name));
      continue;
    }
    for (const auto& [tensor, about] : header->items()) {
      if (tensor == "__metadata__" || IsOfImages(tensor)) continue;
      has_tensors = true;
      const SourceJson* shape = FindMember(about, "shape");
      if (shape != nullptr && AddTensor(tensor, *shape, model)) continue;
      model->why_no_tensors =
          absl::StrCat("the tensor ", Quote(tensor), " of ", Quote(name), " is not known");
    }
  }
  if (!has_tensors && model->why_no_tensors.empty()) {
    model->why_no_tensors = "the source has no tensors";
  }
  Adjust(files, model);
  return absl::OkStatus();
}

void AddRope(const SourceFiles& files, SourceModel* model) {
  const SourceJson& config = files.config;
  const Rope rope = FindRope(config);
  const std::string& type = rope.type;
  if (model->architecture.empty()) {
    // Some converters scale the base frequency instead.
    if (type != "dynamic" && type != "xdrope") return;
    const auto is_base = [](const SourceModel::Key& key) {
      return key.key == "{arch}.rope.freq_base";
    };
    auto& keys = model->keys;
    keys.erase(std::remove_if(keys.begin(), keys.end(), is_base), keys.end());
  } else if (type == "linear" || type == "yarn") {
    AddScaling(rope, model);
  } else if (type == "default") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
  } else if (absl::AsciiStrToLower(type) == "llama3") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
    if (model->architecture == "llama") AddFactors(config, rope, model);
  } else {
    model->not_compared.emplace_back(CompareGroup::kRope,
                                     "the scaling of the source is not known here");
  }
}

}  // namespace gguf
