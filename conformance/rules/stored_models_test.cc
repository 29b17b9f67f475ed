// Tests of models inside of ZIP archives.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/stored_models.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Packed {
  std::string name, data;
  uint16_t method = 0;
};

constexpr uint32_t kIn64 = 0xFFFFFFFF;

// Returns an archive with a program of `skip` bytes in front, whose offsets count it or not.
std::string Zip(const std::vector<Packed>& files, bool is_64 = false, uint64_t skip = 0,
                bool counts_program = true, const std::string& comment = "") {
  ByteWriter zip, directory;
  zip.Zeros(skip);
  const uint64_t base = counts_program ? 0 : skip;
  for (const Packed& file : files) {
    const uint64_t offset = zip.bytes().size() - base, size = file.data.size();
    zip.Raw("PK\3\4").U16(20).U16(0).U16(file.method).U32(0).U32(0).U32(size).U32(size);
    zip.U16(file.name.size()).U16(3).Raw(file.name).Raw("pad").Raw(file.data);
    directory.Raw("PK\1\2").U16(20).U16(20).U16(0).U16(file.method).U32(0).U32(0);
    directory.U32(is_64 ? kIn64 : size).U32(is_64 ? kIn64 : size).U16(file.name.size());
    directory.U16(is_64 ? 28 : 0).U16(0).U16(0).U16(0).U32(0).U32(is_64 ? kIn64 : offset);
    directory.Raw(file.name);
    if (is_64) directory.U16(1).U16(24).U64(size).U64(size).U64(offset);
  }
  const uint64_t begin = zip.bytes().size() - base, size = directory.bytes().size();
  zip.Raw(directory.bytes());
  if (is_64) {
    const uint64_t end = zip.bytes().size();
    zip.Raw("PK\6\6").U64(44).U16(45).U16(45).U32(0).U32(0).U64(files.size()).U64(files.size());
    zip.U64(size).U64(begin).Raw("PK\6\7").U32(0).U64(end).U32(1);
  }
  zip.Raw("PK\5\6").U16(0).U16(0).U16(files.size()).U16(files.size());
  zip.U32(is_64 ? kIn64 : size).U32(is_64 ? kIn64 : begin).U16(comment.size()).Raw(comment);
  return zip.bytes();
}

// Returns "name begin-end", or "name: why not".
std::vector<std::string> FoundIn(const std::string& archive) {
  std::vector<std::string> found;
  for (const StoredModel& model : FindStoredModels(AsBytes(archive))) {
    EXPECT_LE(model.where.end, archive.size());
    found.push_back(*model.why_not != 0
                        ? absl::StrCat(model.name, ": ", model.why_not)
                        : absl::StrCat(model.name, " ", model.where.begin, "-", model.where.end));
  }
  return found;
}

TEST(StoredModelsTest, FindsStoredModels) {
  const std::vector<Packed> files = {
      {"a.gguf", "GGUF.."}, {"readme", "text"}, {"b", "GGUF"}, {"c.GGUF", "x", 8}};
  const std::vector<std::string> found = {"a.gguf 39-45", "b 122-126",
                                          "c.GGUF: it is compressed or encrypted"};
  EXPECT_EQ(FoundIn(Zip(files)), found);
  EXPECT_EQ(FoundIn(Zip(files, true)), found);
  EXPECT_EQ(FoundIn(Zip(files, false, 0, true, "a comment")), found);
  for (const bool counts_program : {false, true}) {
    for (const bool is_64 : {false, true}) {
      if (is_64 && !counts_program) continue;
      EXPECT_THAT(FoundIn(Zip({{"a.gguf", "GGUF"}}, is_64, 1000, counts_program)),
                  ElementsAre("a.gguf 1039-1043"));
    }
  }
}

TEST(StoredModelsTest, NothingInOtherFiles) {
  EXPECT_THAT(FoundIn(""), IsEmpty());
  EXPECT_THAT(FoundIn("PK\5\6"), IsEmpty());
  EXPECT_THAT(FoundIn(std::string(100'000, 'P')), IsEmpty());
  EXPECT_THAT(FoundIn(Zip({})), IsEmpty());
  EXPECT_THAT(FoundIn(Zip({{"readme", "text"}})), IsEmpty());
}

// The work is that of one file, however many entries lead to the same data.
TEST(StoredModelsTest, SharedDataIsCheckedOnce) {
  const std::string model = "GGUF" + std::string(1000, 'x');
  std::string archive = Zip({{"a.gguf", model}, {"b.gguf", "GGUF"}});
  const size_t second = archive.rfind("PK\1\2");
  const std::string first = archive.substr(archive.find("PK\1\2"), 46);
  archive.replace(second, 46, first);  // The names have one length.
  EXPECT_THAT(FoundIn(archive),
              ElementsAre("a.gguf 39-1043", "b.gguf: entries of the archive share their data"));
}

TEST(StoredModelsTest, AreCheckedInPlace) {
  const std::string model = GgufBuilder().Key("k", 99, ByteWriter()).Build();
  const std::string archive =
      "MZqFpD" + Zip({{"m.gguf", model}, {"n.gguf", "x", 8}}, false, 1000, false);
  const FileReport report = Validate(AsBytes(archive), *Profile::Find("upload"), {});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].diagnostic.rule->id, absl::string_view("header-magic"));
  const Diagnostic& inside = report.findings[1].diagnostic;
  EXPECT_EQ(inside.rule->id, absl::string_view("value-type-known"));
  EXPECT_EQ(inside.subject, "\"m.gguf\" kv[k].type");
  // Behind 6 bytes of magic, the program, the local header of 39 bytes, the header and the key.
  EXPECT_EQ(inside.where.begin, 6u + 1000 + 39 + 24 + 9);
  EXPECT_EQ(report.counts.error, 2u);
  EXPECT_EQ(report.about,
            absl::StrCat("a ZIP archive that holds \"m.gguf\", ", model.size(),
                         " bytes from 1045 on, checked in place; \"n.gguf\", which was not "
                         "checked: it is compressed or encrypted"));
}

// Each byte of an archive takes other values, and each beginning is read: no place is outside.
TEST(StoredModelsTest, NumbersDoNotLeadOutside) {
  for (const bool is_64 : {false, true}) {
    const std::string whole = Zip({{"a.gguf", "GGUF"}, {"b.gguf", "GGUF"}}, is_64);
    for (size_t i = 0; i < whole.size(); ++i) {
      FoundIn(whole.substr(0, i));
      for (const int value : {0, 1, 0x7F, 0x80, 0xFF}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(value);
        FoundIn(changed);
      }
    }
  }
}

}  // namespace
}  // namespace gguf
