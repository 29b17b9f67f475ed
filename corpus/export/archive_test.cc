// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/archive.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "zip.h"

namespace gguf::corpus {
namespace {

// Returns the contents of a file of the archive.
std::string Extract(const std::string& bytes, const char* name) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  zip_file_t* const file = zip_fopen(archive, name, 0);
  std::string contents(64, '\0');
  contents.resize(zip_fread(file, &contents[0], contents.size()));
  zip_fclose(file);
  zip_discard(archive);
  return contents;
}

TEST(ArchiveTest, IsInOrderAndTheSameEachTime) {
  const std::map<std::string, std::string> files = {{"b/y.gguf", std::string("GGUF\0\0", 6)},
                                                    {"a/x.gguf", ""}};
  const auto zip = Zip(files);
  ASSERT_TRUE(zip.ok()) << zip.status();
  EXPECT_EQ(zip->substr(0, 4), "PK\3\4");
  EXPECT_EQ(zip->substr(10, 4), std::string("\0\0\x21\0", 4));  // The time.
  for (const auto& [name, contents] : files) {
    EXPECT_EQ(Extract(*zip, name.c_str()), contents);
  }
  EXPECT_LT(zip->find("a/x.gguf"), zip->find("b/y.gguf"));
  EXPECT_EQ(*zip, *Zip(files));
}

TEST(ArchiveTest, AnEmptyArchiveIsOnlyItsEnd) {
  EXPECT_EQ(*Zip({}), "PK\5\6" + std::string(18, '\0'));
}

}  // namespace
}  // namespace gguf::corpus
