// Makes small models from the tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/tiny_model.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "conformance/model/model.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/computed_types.h"
#include "conformance/tables/required_keys.h"
#include "conformance/tables/stacks.h"
#include "conformance/tables/tensors.h"
#include "conformance/tables/tiny_models.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/value.h"

namespace gguf {
namespace {

constexpr uint32_t kString = static_cast<uint32_t>(ValueType::kString);
constexpr uint32_t kArray = static_cast<uint32_t>(ValueType::kArray);

uint32_t TypeNamed(absl::string_view name) {
  for (uint32_t id = 0; const ValueTypeInfo* info = FindValueType(id, 3); ++id) {
    if (name == info->name) return id;
  }
  ADD_FAILURE() << "no type is named " << name;
  return 0;
}

// Appends a number of a type that the models use.
void Append(uint32_t type, absl::string_view text, ByteWriter* out) {
  int64_t number = 0;
  float real = 0;
  if (type == static_cast<uint32_t>(ValueType::kF32)) {
    EXPECT_TRUE(absl::SimpleAtof(text, &real)) << text;
    uint32_t bits;
    std::memcpy(&bits, &real, sizeof bits);
    out->U32(bits);
    return;
  }
  EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << text;
  if (type == static_cast<uint32_t>(ValueType::kBool)) {
    out->U8(static_cast<uint8_t>(number));
  } else {
    out->U32(static_cast<uint32_t>(number));
  }
}

// Parses a value of tiny_models.tsv: "u32 2", "i32 [1 2 3]", "str linear".
TinyKey KeyOf(const std::string& name, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  const uint32_t type = TypeNamed(parts.first);
  absl::string_view value = parts.second;
  ByteWriter out;
  if (type == kString) {
    return {name, type, out.String(value).bytes()};
  }
  if (!absl::StartsWith(value, "[")) {
    Append(type, value, &out);
    return {name, type, out.bytes()};
  }
  const std::vector<absl::string_view> elements =
      absl::StrSplit(value.substr(1, value.size() - 2), ' ');
  out.U32(type).Length(elements.size());
  for (const absl::string_view element : elements) {
    Append(type, element, &out);
  }
  return {name, kArray, out.bytes()};
}

// The parsed contents of a model.
class Reading {
 public:
  explicit Reading(const TinyModel& model)
      : bytes_(model.Build()), model_(Parse(AsBytes(bytes_), {}, &none_)) {}

  const Hparams& hparams() const { return model_.hparams(); }
  uint16_t architecture() const { return hparams().architecture(); }

  // The blocks that the row applies to.
  int64_t Blocks(const TensorRow& row) const {
    const absl::string_view name = row.name;
    for (const StackRow& stack : kStacks.Of(architecture())) {
      if (name.substr(0, name.find('%')) == stack.prefix) {
        return std::min(hparams().Evaluate(stack.count).value_or(0), kMostBlocks);
      }
    }
    return 1;
  }

  std::vector<uint64_t> Shape(const TensorRow& row, int64_t block) const {
    std::vector<uint64_t> shape;
    for (uint32_t d = 0; d < row.shape.rank; ++d) {
      const Expr& expr = row.shape.dims[d];
      const int64_t any = 3;
      const auto value = expr.empty() ? any : hparams().Evaluate(expr, block);
      shape.push_back(static_cast<uint64_t>(value.value_or(0)));
    }
    return shape;
  }

 private:
  std::string bytes_;
  Diagnostics none_{0};
  Model model_;
};

// Returns the type of a tensor: F32, or the first one of those that it may have.
uint32_t TypeOf(uint16_t architecture, absl::string_view name) {
  for (const ComputedType& row : kComputedTypes.Of(architecture)) {
    const bool fits =
        absl::c_any_of(row.names, [&](absl::string_view end) { return absl::EndsWith(name, end); });
    if (!fits) continue;
    uint32_t type = 0;
    while ((row.types >> type & 1) == 0 && row.types != 0) ++type;
    return type;
  }
  return 0;
}

bool IsTensorOf(uint16_t architecture, absl::string_view name) {
  for (const TinyModelRow& row : kTinyModels.Of(architecture)) {
    if (row.kind == TinyKind::kTensor && name == row.name) return true;
  }
  return false;
}

// Returns the value of a required key, or null.
const char* ValueOf(uint16_t architecture, absl::string_view key) {
  for (const TinyModelRow& row : kTinyModels.Of(architecture)) {
    if (row.kind == TinyKind::kValue && key == row.name) return row.value;
  }
  return nullptr;
}

// Repeats until no more keys are required.
void AddKeys(const TinyValues& other, TinyModel* model) {
  const Reading named(*model);
  const uint16_t architecture = named.architecture();
  std::vector<std::string> left_out;
  for (const auto& [key, value] : other) {
    const std::string name = named.hparams().Expand(key);
    if (value == "-") {
      left_out.push_back(name);
    } else {
      model->keys.push_back(KeyOf(name, value));
    }
  }
  const auto is_settled = [&](const std::string& name) {
    return model->HasKey(name) || absl::c_linear_search(left_out, name);
  };
  for (const TinyModelRow& row : kTinyModels.Of(architecture)) {
    const std::string name = named.hparams().Expand(row.name);
    if (row.kind != TinyKind::kKey || is_settled(name)) continue;
    model->keys.push_back(KeyOf(name, row.value));
  }
  for (size_t before = 0; before != model->keys.size();) {
    before = model->keys.size();
    const Reading reading(*model);
    for (const RequiredKey& row : kRequiredKeys.Of(architecture)) {
      const std::string name = reading.hparams().Expand(row.key);
      if (is_settled(name) || model->HasKey(reading.hparams().Expand(row.or_key)) ||
          !reading.hparams().Holds(row.when)) {
        continue;
      }
      const char* value = ValueOf(architecture, name);
      if (value == nullptr) value = ValueOf(architecture, row.key);
      if (value == nullptr) {
        ADD_FAILURE() << "tiny_models.tsv has no value of " << name;
        continue;
      }
      model->keys.push_back(KeyOf(name, value));
    }
  }
  std::stable_partition(model->keys.begin(), model->keys.end(), [](const TinyKey& key) {
    return !absl::StartsWith(key.name, "tokenizer.");
  });
}

// Sorts tensors block by block, after those outside of blocks.
bool IsBefore(const TinyTensor& a, const TinyTensor& b) {
  const auto place = [](const TinyTensor& tensor) {
    const absl::string_view name = tensor.name;
    const size_t digits = name.find_first_of("0123456789");
    int block = 0;
    const bool has_block =
        digits != 0 && digits != name.npos && name[digits - 1] == '.' &&
        absl::SimpleAtoi(name.substr(digits, name.find('.', digits) - digits), &block);
    return std::make_pair(has_block ? name.substr(0, digits) : "", block);
  };
  return place(a) < place(b);
}

// Starts with all tensors that may be required.  Each round keeps those that
// are required given the others.
void AddTensors(TinyModel* model) {
  bool settled = false;
  for (int round = 0; round < 6 && !settled; ++round) {
    const Reading reading(*model);
    const uint16_t architecture = reading.architecture();
    std::vector<TinyTensor> next;
    for (const TensorRow& row : kTensors.Of(architecture)) {
      const bool wanted = IsTensorOf(architecture, row.name);
      if (row.required.empty() && !wanted) continue;
      for (int64_t i = 0; i < reading.Blocks(row); ++i) {
        const bool is_there = round == 0 || (reading.hparams().Holds(row.when, i) &&
                                             (wanted || reading.hparams().Holds(row.required, i)));
        if (!is_there) continue;
        const std::string name = reading.hparams().Expand(row.name, i);
        next.push_back({name, reading.Shape(row, i), TypeOf(architecture, name)});
      }
    }
    settled = std::equal(
        next.begin(), next.end(), model->tensors.begin(), model->tensors.end(),
        [](const auto& a, const auto& b) { return a.name == b.name && a.dims == b.dims; });
    model->tensors = std::move(next);
  }
  std::stable_sort(model->tensors.begin(), model->tensors.end(), IsBefore);
  EXPECT_TRUE(settled) << "the set of required tensors does not converge";
}

void ExpectShapes(const TinyModel& model) {
  for (const TinyTensor& tensor : model.tensors) {
    for (const uint64_t dim : tensor.dims) {
      EXPECT_TRUE(dim > 0 && dim < 100000) << tensor.name << " has no shape";
    }
  }
}

}  // namespace

bool TinyModel::HasKey(absl::string_view name) const {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const TinyKey& key) { return key.name == name; });
}

void TinyModel::AddKey(absl::string_view name, uint32_t type, const ByteWriter& value) {
  keys.push_back({std::string(name), type, value.bytes()});
}

void TinyModel::AddKey(const std::string& name, absl::string_view value) {
  keys.push_back(KeyOf(name, value));
}

void TinyModel::RemoveKey(absl::string_view name) {
  keys.erase(std::remove_if(keys.begin(), keys.end(),
                            [&](const TinyKey& key) { return key.name == name; }),
             keys.end());
}

TinyTensor& TinyModel::Tensor(absl::string_view name) {
  return *std::find_if(tensors.begin(), tensors.end(),
                       [&](const TinyTensor& t) { return t.name == name; });
}

void TinyModel::Remove(absl::string_view name) {
  tensors.erase(tensors.begin() + (&Tensor(name) - tensors.data()));
}

std::string TinyModel::Build() const {
  GgufBuilder file;
  for (const TinyKey& key : keys) {
    file.Key(key.name, key.type, ByteWriter().Raw(key.value));
  }
  for (const TinyTensor& tensor : tensors) {
    file.Tensor(tensor.name, tensor.dims, tensor.type);
  }
  return file.Build();
}

TinyModel MakeTinyModel(absl::string_view architecture, const TinyValues& other) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, std::string(architecture));
  TinyModel model;
  model.AddKey("general.architecture", kString, ByteWriter().String(architecture));
  AddKeys(other, &model);
  AddTensors(&model);
  if (other.empty()) ExpectShapes(model);
  return model;
}

std::vector<std::string> TinyArchitectures() {
  std::vector<std::string> names;
  for (uint16_t a = 0; a < kArchitectures; ++a) {
    // Only a name: another program loads it, and no table has its keys.
    if (kArchitectureRows[a].name == "clip") continue;
    names.emplace_back(kArchitectureRows[a].name);
  }
  return names;
}

}  // namespace gguf
