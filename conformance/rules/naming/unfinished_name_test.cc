// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/naming/unfinished_name.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(UnfinishedNameTest, EndingsOfProgramsAreKnown) {
  for (const char* name :
       {"m.gguf.incomplete", "m.gguf.part", "m-partial", "sha256-00-partial-0", "m.gguf.crdownload",
        "m.gguf.aria2", "Unconfirmed 1.crdownload", "m.GGUF.PART", "m.gguf.!qB"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "an unfinished download; resume it") << name;
  }
  for (const char* name :
       {"m.gguf-split-a", "m.gguf.001", "m.gguf.partaa", "m.gguf.part-2", "m.gguf.aa"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "a part of a file; join the parts in order") << name;
  }
  EXPECT_EQ(WhatIsUnfinished("m.Q8_0.gguf.part1of2"),
            "part 1 of 2 of a file; join the parts in order");
  for (const char* name : {"", "m.gguf", "m-00001-of-00002.gguf", "partial.gguf", "m-part.gguf",
                           "m.ggml", "ggml-model.bin", "download"}) {
    EXPECT_EQ(WhatIsUnfinished(name), "") << name;
  }
}

}  // namespace
}  // namespace gguf
