// The precompiled charsmap.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kCharsmap = {{"charsmap-size-fits", "charsmap-trie-whole-units",
                               "charsmap-trie-in-bounds", "charsmap-newline-readable",
                               "charsmap-texts-ended"}};

constexpr uint32_t kIsValue = uint32_t{1} << 31;

// A trie of 256 units that maps 'A' and a newline to the text "a".
struct Trie {
  Trie() : units(256) {
    SetLeaf('A', 0x80);
    SetLeaf('\n', 0x80);
    units[0x80] = kIsValue;
  }
  // Makes the root's child at `label` one whose value is unit `value`.
  void SetLeaf(uint8_t label, uint32_t value) {
    units[label] = label | 1u << 8 | (label ^ value) << 10;
  }

  std::string Blob() const {
    ByteWriter writer;
    writer.U32(size.value_or(4 * static_cast<uint32_t>(units.size())));
    for (const uint32_t unit : units) writer.U32(unit);
    return writer.Raw(texts).bytes();
  }

  std::optional<uint32_t> size;  // As the header says.
  std::vector<uint32_t> units;
  std::string texts = std::string("a\0", 2);
};

GgufBuilder WithBlob(const std::string& blob, const char* model = "t5") {
  GgufBuilder file = VocabularyFile(model, {"a", "b", "c"});
  AddBytes("precompiled_charsmap", {blob.begin(), blob.end()}, &file);
  return file;
}

constexpr char kKey[] = "kv[tokenizer.ggml.precompiled_charsmap].value";

// The messages without the key.
std::vector<std::string> Found(const Trie& trie, const char* profile = "upload") {
  std::vector<std::string> found = kCharsmap.MessagesIn(WithBlob(trie.Blob()), profile);
  for (std::string& message : found) {
    message = message.substr(sizeof(kKey) - 1);
  }
  return found;
}

TEST(CharsmapChecksTest, Sizes) {
  Trie trie;
  EXPECT_THAT(Found(trie), IsEmpty());
  trie.size = 1025;
  EXPECT_THAT(Found(trie), ElementsAre("[0] begins a trie of 1025 bytes, not a multiple of 4"));
  trie.size = 1026;
  EXPECT_THAT(Found(trie),
              ElementsAre("[0] begins a trie of 1026 bytes, but only 1026 bytes follow "
                          "for it and its texts"));
  trie.size = 0xffffffff;
  EXPECT_THAT(Found(trie), ElementsAre("[0] begins a trie of 4294967295 bytes, but only 1026 bytes "
                                       "follow for it and its texts"));
  for (const size_t length : {0, 1, 3}) {
    EXPECT_THAT(
        kCharsmap.MessagesIn(WithBlob(std::string(length, '\0'))),
        ElementsAre(kKey + (" has " + std::to_string(length)) + (length == 1 ? " byte" : " bytes") +
                    ", too few for the size of its trie"));
  }
  EXPECT_THAT(kCharsmap.In(WithBlob(std::string(4, '\0'))),
              ElementsAre(std::string("error charsmap-size-fits ") + kKey + "[0]"));
  EXPECT_THAT(kCharsmap.In(WithBlob(std::string(5, '\0'))), IsEmpty());
}

TEST(CharsmapChecksTest, UnitsInBounds) {
  Trie trie;
  trie.units[9] = (9 ^ 0xffu) << 10;
  EXPECT_THAT(Found(trie), IsEmpty());
  trie.units[9] = (9 ^ 0x100u) << 10;
  EXPECT_THAT(Found(trie), ElementsAre("[40] points to unit 256 of a trie of 256 units"));
  trie.units[9] = 1u << 10 | 1u << 9;  // The offset is times 256.
  EXPECT_THAT(Found(trie), ElementsAre("[40] points to unit 265 of a trie of 256 units"));
  trie.units[9] |= kIsValue;
  EXPECT_THAT(Found(trie), IsEmpty());
  trie.units[0] |= kIsValue;  // The root is never a value.
  EXPECT_THAT(Found(trie), ElementsAre("[4] points to unit 2097152 of a trie of 256 units"));
}

TEST(CharsmapChecksTest, ValuesInBounds) {
  Trie trie;
  trie.units[0x80] = kIsValue | 1;
  EXPECT_THAT(Found(trie), IsEmpty());
  trie.units[0x80] = kIsValue | 2;
  EXPECT_THAT(Found(trie),
              ElementsAre("[44] has a value past the end of the texts, after 2 bytes"));
}

TEST(CharsmapChecksTest, TextsEnd) {
  Trie trie;
  trie.texts = "ab";
  EXPECT_THAT(Found(trie), ElementsAre("[1029] is 98, not a final NUL"));
}

TEST(CharsmapChecksTest, NewlineReadable) {
  const std::string outside = " maps a newline outside its trie";
  const FindingsOf newline = {{"charsmap-newline-readable"}};
  const auto found = [&](const Trie& trie) {
    return newline.MessagesIn(WithBlob(trie.Blob()), "llama.cpp");
  };
  EXPECT_THAT(found(Trie()), IsEmpty());
  Trie root;
  root.units[0] = 0x100 << 10;
  EXPECT_THAT(found(root), ElementsAre(kKey + outside));
  Trie node;
  node.SetLeaf('\n', 0x100);
  EXPECT_THAT(found(node), ElementsAre(kKey + outside));
  node.units['\n'] ^= 1;  // Another label: no child of the root.
  EXPECT_THAT(found(node), IsEmpty());
  Trie text;
  text.units[0x80] = kIsValue | 2;
  EXPECT_THAT(found(text), ElementsAre(std::string(kKey) + " maps a newline outside its texts"));
  Trie end;
  end.texts = "ab";
  EXPECT_THAT(found(end),
              ElementsAre(std::string(kKey) + " maps a newline to an unterminated text"));
}

TEST(CharsmapChecksTest, OfUnigramVocabulariesOnly) {
  const std::string blob(2, '\0');
  EXPECT_THAT(kCharsmap.In(WithBlob(blob, "llama")), IsEmpty());
  EXPECT_EQ(kCharsmap.NotCheckedIn(WithBlob(blob, "llama")).size(), 4u);
}

}  // namespace
}  // namespace gguf
