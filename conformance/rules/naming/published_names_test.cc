// The rules about name and content find nothing in files that hold what their
// published names say, and something in files that do not.
//
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/model/file_name.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A row of the table; see there.
struct Name {
  std::string name, size, encoding, type, kind;
  double parameters = 0;
  uint32_t experts = 0;
  FileNameParts parts;  // By the convention; empty for most.

  std::string Part(absl::string_view part) const {
    for (const auto& [key, value] : parts) {
      if (key == part) return value;
    }
    return "";
  }
};

std::vector<Name> Names() {
  std::ifstream file("conformance/model/published_names.tsv");
  std::vector<Name> names;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() != 7 || cells[0] == "name") continue;
    Name name = {cells[0], cells[1], cells[2], cells[4], cells[5]};
    if (const auto size = ParseSizeLabel(cells[3])) {
      name.parameters = size->parameters;
    }
    EXPECT_TRUE(absl::SimpleAtoi(cells[6], &name.experts)) << line;
    name.parts = ParseFileName(name.name).value_or(FileNameParts());
    names.push_back(name);
  }
  return names;
}

uint32_t IdOf(absl::string_view type) {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (absl::EqualsIgnoreCase(type, info.name)) return info.id;
  }
  ADD_FAILURE() << type;
  return 0;
}

// A mix as quantizers make it: three of five matrices have the type, the router
// and the vectors are F32.  The data is not there.
GgufBuilder Content(const Name& name) {
  GgufBuilder file = PlainFile();
  if (name.kind == "adapter" || name.kind == "mmproj") {
    file.String("general.type", name.kind);
  }
  if (name.experts > 0) file.U32("llama.expert_count", name.experts);
  if (name.kind == "vocabulary") return file;
  // The heads that predict further tokens have no first block.
  const std::string block = name.kind == "mtp" ? "blk.9." : "blk.0.";
  const uint32_t type = IdOf(name.type);
  const uint64_t rows = static_cast<uint64_t>(name.parameters / 256 / 4);
  for (const char* matrix : {"ffn_gate", "ffn_up", "ffn_down"}) {
    file.Tensor(absl::StrCat(block, matrix, ".weight"), {256, rows}, type, 0);
  }
  const bool is_float = absl::StrContains(name.type, "F");
  file.Tensor("token_embd.weight", {256, rows},
              is_float && !absl::StartsWith(name.type, "MX") ? type : IdOf("Q6_K"), 0);
  file.Tensor(block + "ffn_gate_inp.weight", {256, 8}, IdOf("F32"), 0);
  for (const char* norm : {"attn_norm", "ffn_norm", "attn_q_norm"}) {
    file.Tensor(absl::StrCat(block, norm, ".weight"), {256}, IdOf("F32"), 0);
  }
  return file;
}

// The keys that a converter writes, with the parts of the name.
GgufBuilder WithKeys(const Name& name, const std::string& suffix = "") {
  GgufBuilder file = Content(name);
  const auto add = [&](const char* key, const char* part) {
    std::string value = name.Part(part);
    if (!value.empty()) file.String(key, value + suffix);
  };
  add("general.basename", "BaseName");
  add("general.finetune", "FineTune");
  add("general.version", "Version");
  if (name.size != "-") file.String("general.size_label", name.size);
  return file;
}

const FindingsOf kRules = {{"file-name-basename", "file-name-size-label",
                            "file-name-size-label-scale", "size-label-parameters",
                            "file-name-expert-count", "file-name-finetune", "file-name-version",
                            "file-name-encoding", "file-name-type", "file-name-parts-present"}};

TEST(PublishedNamesTest, NoFindingIfTheContentIsWhatTheNameSays) {
  for (const Name& name : Names()) {
    for (const char* profile : {"spec", "upload", "pedantic"}) {
      EXPECT_THAT(kRules.MessagesIn(Content(name), profile, name.name), IsEmpty()) << name.name;
      EXPECT_THAT(kRules.MessagesIn(WithKeys(name), profile, name.name), IsEmpty()) << name.name;
    }
  }
}

TEST(PublishedNamesTest, AFindingIfTheSizeIsAnother) {
  constexpr double kFactor = 20;  // Above the number of experts.
  int sizes = 0;
  for (Name name : Names()) {
    if (name.size == "-") continue;
    ++sizes;
    const double right = name.parameters;
    for (const double wrong : {right * kFactor, right / kFactor}) {
      name.parameters = wrong;
      EXPECT_THAT(kRules.In(Content(name), "upload", name.name),
                  Contains(HasSubstr("size-label-parameters")))
          << name.name;
    }
    name.parameters = right;
    EXPECT_THAT(kRules.In(Content(name).String("general.size_label", "999B"), "upload", name.name),
                Contains(HasSubstr("file-name-size-label")))
        << name.name;
  }
  EXPECT_GT(sizes, 150);
}

TEST(PublishedNamesTest, AFindingIfTheEncodingIsAnother) {
  int encodings = 0;
  for (Name name : Names()) {
    if (name.encoding == "-") continue;
    ++encodings;
    const bool is_float = absl::StrContains(name.type, "F") && !absl::StrContains(name.type, "FP4");
    for (const char* wrong : is_float ? std::vector<const char*>{"Q8_0", "Q4_K"}
                                      : std::vector<const char*>{"F16", "F32"}) {
      name.type = wrong;
      EXPECT_THAT(kRules.In(Content(name), "upload", name.name),
                  Contains(HasSubstr("file-name-encoding")))
          << name.name;
    }
  }
  EXPECT_GT(encodings, 150);
}

TEST(PublishedNamesTest, AFindingIfTheExpertsAreOthers) {
  int names = 0;
  for (Name name : Names()) {
    if (!absl::StrContains(name.size, 'x')) continue;
    ++names;
    name.experts += 1;
    EXPECT_THAT(kRules.In(Content(name), "upload", name.name),
                Contains(HasSubstr("file-name-expert-count")))
        << name.name;
  }
  EXPECT_GE(names, 2);
}

// Only names that follow the convention have these parts.
TEST(PublishedNamesTest, AFindingIfTheKeysAreOthers) {
  int names = 0;
  for (const Name& name : Names()) {
    if (name.parts.empty()) continue;
    ++names;
    const auto found = kRules.In(WithKeys(name, "9"), "upload", name.name);
    EXPECT_THAT(found, Contains(HasSubstr("file-name-basename"))) << name.name;
    EXPECT_THAT(found, Contains(HasSubstr("file-name-version"))) << name.name;
    if (name.Part("FineTune").empty()) continue;
    EXPECT_THAT(found, Contains(HasSubstr("file-name-finetune"))) << name.name;
  }
  EXPECT_GE(names, 3);
}

}  // namespace
}  // namespace gguf
