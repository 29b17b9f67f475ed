// Checks that the tiny models of all architectures are complete and in the
// corpus, and that anything removed or changed in them is found.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/tiny_models.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/golden/golden.h"
#include "conformance/golden/tiny_case.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/required_keys.h"
#include "conformance/tables/tensors.h"
#include "conformance/testing/tiny_model.h"
#include "corpus/language/case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// "error model-tensors-present kv[general.architecture] message"
std::vector<std::string> Found(const TinyModel& model, absl::string_view profile) {
  const std::string bytes = model.Build();
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find(profile), {});
  std::vector<std::string> lines;
  if (!report.incomplete.empty()) lines.push_back("error incomplete");
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    lines.push_back(absl::StrCat(SeverityName(finding.severity), " ", diagnostic.rule->id, " ",
                                 diagnostic.subject, " ", diagnostic.message));
  }
  return lines;
}

std::vector<std::string> Errors(const TinyModel& model, absl::string_view profile) {
  std::vector<std::string> lines = Found(model, profile);
  lines.erase(
      std::remove_if(lines.begin(), lines.end(),
                     [](const std::string& line) { return !absl::StartsWith(line, "error "); }),
      lines.end());
  return lines;
}

// The profile and the rule that report a missing key.
struct Finds {
  const char* profile;
  const char* start;
};

Finds FindsMissing(RequiredBy by) {
  switch (by) {
    case RequiredBy::kSpec:
      return {"spec", "error spec-keys-present "};
    case RequiredBy::kSpecShould:
      return {"spec", "warning spec-unusual-keys-present "};
    case RequiredBy::kLoader:
    case RequiredBy::kTensors:
      return {"llama.cpp", "error llama-cpp-keys-present "};
    case RequiredBy::kLoader2025:
      return {"llama.cpp", "note older-llama-cpp-keys-present "};
  }
  return {};
}

// Returns the rules about models that could not be checked.
std::vector<std::string> NotChecked(const TinyModel& model) {
  const std::string bytes = model.Build();
  const FileReport report = Validate({AsBytes(bytes), "m.gguf"}, *Profile::Find("llama.cpp"), {});
  std::vector<std::string> lines;
  for (const FileReport::NotChecked& entry : report.not_checked) {
    if (entry.rule->scope != Scope::kModel || entry.meaning == Reason::kNotRequested) continue;
    lines.push_back(absl::StrCat(entry.rule->id, ": ", entry.why.view()));
  }
  return lines;
}

// Changes of dimensions that are also valid.
bool IsAnotherForm(absl::string_view architecture, absl::string_view tensor, size_t dimension,
                   int change) {
  // Then the gate is not interpolated.
  if (architecture == "arwkv7") {
    return dimension == 3 && change == -1 && absl::EndsWith(tensor, ".time_mix_lerp_fused.weight");
  }
  // A column for each block with attention and each pass; the table does not count the blocks.
  return architecture == "metis16" && dimension == 1 && tensor == "depth_mem_entry_bias.weight";
}

// Whether the smallest model has a tensor only because a row `tiny` says so.
bool IsTinyOnly(uint16_t architecture, absl::string_view tensor) {
  const std::string pattern = ParseBlockName(tensor).pattern;
  for (const TinyModelRow& row : kTinyModels.Of(architecture)) {
    if (row.kind == TinyKind::kTensor && row.name == pattern) return true;
  }
  return false;
}

// Whether a dimension may be anything; those of other tensors depend on it.
bool IsFree(uint16_t architecture, absl::string_view tensor, size_t dimension) {
  const BlockName name = ParseBlockName(tensor);
  for (const TensorRow& row : kTensors.Of(architecture)) {
    if (row.name == name.pattern && dimension < row.shape.rank && name.block <= 0) {
      return row.shape.dims[dimension].empty();
    }
  }
  return false;
}

class TinyModelsTest : public testing::TestWithParam<std::string> {
 protected:
  TinyModelsTest()
      : architecture_(FindArchitecture(GetParam())),
        is_loaded_(IsIn(architecture_, Group::kLoader)),
        whole_(MakeTinyModel(GetParam())) {}

  // Returns the profile that checks the shapes of its tensors.
  const char* profile() const { return is_loaded_ ? "llama.cpp" : "upload"; }

  const uint16_t architecture_;
  const bool is_loaded_;
  const TinyModel whole_;
};

TEST_P(TinyModelsTest, IsComplete) {
  EXPECT_THAT(Errors(whole_, "upload"), IsEmpty());
  if (is_loaded_) {
    EXPECT_THAT(Errors(whole_, "llama.cpp"), IsEmpty());
    EXPECT_GE(whole_.tensors.size(), 7u);
    EXPECT_THAT(NotChecked(whole_), IsEmpty());
  }
  if (IsIn(architecture_, Group::kSpec)) {
    EXPECT_THAT(Errors(whole_, "spec"), IsEmpty());
  }
}

TEST_P(TinyModelsTest, TrailingOnesChangeNothing) {
  TinyModel model = whole_;
  for (TinyTensor& tensor : model.tensors) {
    if (tensor.dims.size() < 4) tensor.dims.push_back(1);
  }
  EXPECT_THAT(Errors(model, "upload"), IsEmpty());
}

TEST_P(TinyModelsTest, EachMissingKeyIsFound) {
  TinyModel model = whole_;
  model.RemoveKey("general.architecture");
  EXPECT_THAT(Errors(model, "upload"), Contains(HasSubstr(" architecture-present ")));

  const std::string bytes = whole_.Build();
  Diagnostics none(0);
  const Model read(Parse(AsBytes(bytes), {}, &none));
  int required = 0;
  for (const RequiredKey& row : kRequiredKeys.Of(architecture_)) {
    if (!read.hparams().Holds(row.when)) continue;
    if (row.by != RequiredBy::kSpec && row.by != RequiredBy::kSpecShould && !is_loaded_) {
      continue;
    }
    ++required;
    const std::string name = read.hparams().Expand(row.key);
    const std::string other = read.hparams().Expand(row.or_key);
    ASSERT_TRUE(whole_.HasKey(name) || whole_.HasKey(other)) << name;
    TinyModel missing = whole_;
    missing.RemoveKey(name);
    missing.RemoveKey(other);
    const auto [profile, start] = FindsMissing(row.by);
    EXPECT_THAT(Found(missing, profile),
                Contains(AllOf(testing::StartsWith(start), HasSubstr(name))))
        << "without " << name;
  }
  EXPECT_GE(required, 4);
}

// Only loaders require tensors.
class LoadedTinyModelsTest : public TinyModelsTest {};

// What only the graph needs, or another tensor replaces, is found as a fault of its block.
TEST_P(LoadedTinyModelsTest, EachMissingTensorIsFound) {
  for (const TinyTensor& tensor : whole_.tensors) {
    // Of a T5, the first block has the positions of all.
    const BlockName name = ParseBlockName(tensor.name);
    if (name.block > 0 && absl::EndsWith(tensor.name, ".attn_rel_b.weight")) continue;
    TinyModel model = whole_;
    model.Remove(tensor.name);
    std::string found = tensor.name;
    if (IsTinyOnly(architecture_, tensor.name)) {
      found = found.substr(0, found.find('.', found.find('.') + 1));
    }
    EXPECT_THAT(Errors(model, profile()), Contains(HasSubstr(found))) << "without " << tensor.name;
  }
}

TEST_P(TinyModelsTest, EachWrongDimensionIsFound) {
  for (const TinyTensor& tensor : whole_.tensors) {
    for (size_t d = 0; d < tensor.dims.size(); ++d) {
      for (const int change : {-1, 1}) {
        TinyModel model = whole_;
        model.Tensor(tensor.name).dims[d] += change;
        if (IsAnotherForm(GetParam(), tensor.name, d, change)) continue;
        const bool is_free = IsFree(architecture_, tensor.name, d);
        EXPECT_THAT(Errors(model, profile()),
                    Contains(HasSubstr(is_free ? "tensor" : tensor.name.c_str())))
            << tensor.name << ", dimension " << d << " by " << change;
      }
    }
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  return absl::StrReplaceAll(info.param, {{"-", "_"}});
}

std::vector<std::string> LoadedArchitectures() {
  std::vector<std::string> names = TinyArchitectures();
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) {
                               return !IsIn(FindArchitecture(name), Group::kLoader);
                             }),
              names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Architectures, TinyModelsTest, testing::ValuesIn(TinyArchitectures()),
                         TestName);
INSTANTIATE_TEST_SUITE_P(Architectures, LoadedTinyModelsTest,
                         testing::ValuesIn(LoadedArchitectures()), TestName);

TEST(TinyCasesTest, AreThoseOfTheTables) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  std::set<std::string> ids;
  const std::vector<std::string> all = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : all) {
    if (absl::StartsWith(id, kTinyCasePrefix)) ids.insert(id);
  }
  std::set<std::string> expected;
  for (const std::string& name : TinyArchitectures()) {
    const std::string id = kTinyCasePrefix + name;
    expected.insert(id);
    const auto text = load(id);
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(text->substr(0, text->find("=== expect\n")), TinyCase(name))
        << "bazel run //conformance/golden:tiny_models";
  }
  EXPECT_EQ(ids, expected);
}

}  // namespace
}  // namespace gguf
