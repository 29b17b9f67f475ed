// Reads and validates expressions, sizes and lists of names.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/read_policy.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/config/size.h"
#include "conformance/rules/edit_distance.h"
#include "parser/core/quote.h"
#include "parser/core/tensor_type.h"

namespace gguf {
namespace {

// Reads a list, which must not be empty if it is present.
bool ReadList(TomlTable table, absl::string_view key,
              std::vector<std::string>* list) {
  if (!table.Read(key, list)) return false;
  if (list->empty()) {
    table.Fail(key, absl::StrCat(Quote(key), " must not be empty"));
  }
  return !list->empty();
}

void ReadFileName(TomlTable table, Policy* policy) {
  constexpr char kKey[] = "file-name";
  std::string pattern;
  if (!table.Read(kKey, &pattern)) return;
  RE2::Options options;
  options.set_log_errors(false);
  auto expression = std::make_shared<const RE2>(pattern, options);
  if (expression->ok()) {
    policy->file_name = std::move(expression);
  } else {
    table.Fail(kKey, absl::StrCat(Quote(kKey), " is not an RE2 expression: ",
                                  Escape(expression->error())));
  }
}

const std::vector<absl::string_view>& TensorTypeNames() {
  static const auto& names = *[] {
    auto* all = new std::vector<absl::string_view>;
    for (const auto types : {AllTensorTypes(), OldTensorTypes()}) {
      for (const TensorTypeInfo& type : types) {
        all->push_back(type.name);
      }
    }
    return all;
  }();
  return names;
}

void ReadTensorTypes(TomlTable table, Policy* policy) {
  constexpr char kKey[] = "tensor-types";
  std::vector<std::string> types;
  if (!ReadList(table, kKey, &types)) return;
  const std::vector<absl::string_view>& known = TensorTypeNames();
  for (size_t i = 0; i < types.size(); ++i) {
    if (std::find(known.begin(), known.end(), types[i]) != known.end()) {
      continue;
    }
    const std::string closest = ClosestWord(types[i], known);
    return table.Fail(
        kKey, i,
        absl::StrCat("unknown tensor type ", Quote(types[i]),
                     closest.empty()
                         ? ""
                         : absl::StrCat("; did you mean ", closest, "?")));
  }
  policy->tensor_types.insert(types.begin(), types.end());
}

}  // namespace

void ReadPolicy(TomlTable table, Policy* policy) {
  ReadFileName(table, policy);
  uint64_t size;
  if (ReadSize(table, "file-size", &size)) policy->file_size = size;
  std::vector<std::string> architectures;
  if (ReadList(table, "architectures", &architectures)) {
    policy->architectures.insert(architectures.begin(), architectures.end());
  }
  ReadTensorTypes(table, policy);
  auto keys = table.Table("keys");
  if (!keys) return;
  for (const std::string& name : keys->Keys()) {
    std::vector<std::string> values;
    if (!ReadList(*keys, name, &values)) return;
    policy->keys.push_back({name, std::move(values)});
  }
}

bool ReadSize(TomlTable table, absl::string_view key, uint64_t* value) {
  if (!table.IsString(key)) return table.Read(key, value);
  std::string text;
  table.Read(key, &text);
  const auto size = ParseSize(text);
  if (!size) {
    table.Fail(key, absl::StrCat(Quote(key),
                                 " must be a number or a string like 50G"));
    return false;
  }
  *value = *size;
  return true;
}

}  // namespace gguf
