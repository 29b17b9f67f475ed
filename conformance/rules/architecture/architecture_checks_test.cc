// Files with and without a right general.architecture.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The findings about the architecture itself.
std::vector<std::string> OfArchitecture(const GgufBuilder& builder, absl::string_view profile) {
  std::vector<std::string> lines;
  for (const std::string& line : ModelFindings(builder.Build(), profile)) {
    const size_t space = line.find(' ');
    const std::string id = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
    if (id.rfind("architecture-", 0) == 0 && id != "architecture-hparams-consistent") {
      lines.push_back(line.substr(0, space + 1) + id);
    }
  }
  return lines;
}

GgufBuilder Named(absl::string_view name) {
  GgufBuilder builder;
  builder.String("general.architecture", name);
  return builder;
}

TEST(ArchitectureChecksTest, ItMustBeThere) {
  for (const char* profile : {"upload", "spec", "llama.cpp", "safety"}) {
    EXPECT_THAT(OfArchitecture(GgufBuilder(), profile), ElementsAre("error architecture-present"));
    EXPECT_THAT(OfArchitecture(Named(""), profile), ElementsAre("error architecture-present"));
    EXPECT_THAT(OfArchitecture(GgufBuilder().U32("general.architecture", 1), profile),
                ElementsAre("error architecture-string"));
    EXPECT_THAT(OfArchitecture(Named("llama"), profile), IsEmpty());
  }
}

TEST(ArchitectureChecksTest, SomeFilesNeedNone) {
  EXPECT_THAT(OfArchitecture(GgufBuilder().String("general.type", "imatrix"), "upload"), IsEmpty());
  EXPECT_THAT(OfArchitecture(GgufBuilder()
                                 .Key("split.no", 2, ByteWriter().U16(1))
                                 .Key("split.count", 2, ByteWriter().U16(2)),
                             "upload"),
              IsEmpty());
  EXPECT_THAT(OfArchitecture(GgufBuilder()
                                 .Key("split.no", 2, ByteWriter().U16(0))
                                 .Key("split.count", 2, ByteWriter().U16(2)),
                             "upload"),
              ElementsAre("error architecture-present"));
}

TEST(ArchitectureChecksTest, ItShouldBeKnown) {
  const struct {
    const char* name;
    const char* profile;
    std::vector<std::string> findings;
  } kCases[] = {
      {"lama", "upload", {"warning architecture-known"}},
      {"lama", "llama.cpp", {"error architecture-known"}},
      {"lama", "spec", {"note architecture-known"}},
      {"la-ma", "upload", {"warning architecture-known"}},
      {"la-ma", "spec", {"warning architecture-grammar-known", "note architecture-known"}},
      {"la_ma", "spec", {"warning architecture-grammar-known", "note architecture-known"}},
      {"la ma", "spec", {"error architecture-grammar", "note architecture-known"}},
      {"Llama", "spec", {"error architecture-grammar", "note architecture-known"}},
      {"command-r", "spec", {"warning architecture-grammar-known"}},
      {"command-r", "upload", {}},
      {"command-r", "llama.cpp", {}},
      {"gptj", "llama.cpp", {"error architecture-loadable"}},
      {"gptj", "upload", {"warning architecture-loadable"}},
      {"gptj", "spec", {}},
      {"clip", "llama.cpp", {}},
      {"rwkv", "llama.cpp", {"error architecture-loadable"}},
      {"rwkv", "upload", {"warning architecture-loadable"}},
      {"whisper", "spec", {}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(OfArchitecture(Named(c.name), c.profile), c.findings) << c.name << " " << c.profile;
  }
}

}  // namespace
}  // namespace gguf
