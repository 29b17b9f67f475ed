// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/toml_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns the message of Finish() after `read` has read the text.
template <class Read>
std::string Error(absl::string_view text, Read read) {
  auto file = TomlFile::Parse(text, "f.toml");
  if (!file.ok()) return std::string(file.status().message());
  read(file->root());
  return std::string(file->Finish().message());
}

std::string SyntaxError(absl::string_view text) {
  return std::string(TomlFile::Parse(text, "f.toml").status().message());
}

TEST(TomlFileTest, ReadsValuesOfEachType) {
  const std::string error = Error(
      "s = 'a'\nb = true\nu = 7\nd = 0.5\ni = 2\nl = ['x', 'y']\n[t]\nk = 1\n", [](TomlTable root) {
        std::string s;
        bool b = false;
        uint64_t u = 0, k = 0;
        double d = 0, i = 0;
        std::vector<std::string> l;
        EXPECT_TRUE(root.Read("s", &s) && root.Read("b", &b) && root.Read("u", &u) &&
                    root.Read("d", &d) && root.Read("i", &i) && root.Read("l", &l) &&
                    root.Table("t")->Read("k", &k));
        EXPECT_EQ(s, "a");
        EXPECT_TRUE(b);
        EXPECT_EQ(u, 7u);
        EXPECT_EQ(d, 0.5);
        EXPECT_EQ(i, 2);
        EXPECT_EQ(l, (std::vector<std::string>{"x", "y"}));
        EXPECT_EQ(k, 1u);
        EXPECT_FALSE(root.Read("missing", &s) || root.Read("missing", &b) ||
                     root.Read("missing", &u) || root.Read("missing", &d) ||
                     root.Read("missing", &l) || root.Table("missing"));
        EXPECT_EQ(s, "a");
      });
  EXPECT_EQ(error, "");
}

TEST(TomlFileTest, AValueOfAnotherTypeIsAnErrorAndNotRead) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"s = 1", "f.toml:1: \"s\" must be a string"},
      {"b = 'true'", "f.toml:1: \"b\" must be true or false"},
      {"\nu = -1", "f.toml:2: \"u\" must be a non-negative integer"},
      {"u = 0.5", "f.toml:1: \"u\" must be a non-negative integer"},
      {"d = 'x'", "f.toml:1: \"d\" must be a number"},
      {"l = 'x'", "f.toml:1: \"l\" must be a list of strings"},
      {"l = ['x',\n1]", "f.toml:2: \"l\" must be a list of strings"},
      {"t = 1", "f.toml:1: \"t\" must be a table"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(Error(text,
                    [](TomlTable root) {
                      std::string s;
                      bool b;
                      uint64_t u;
                      double d;
                      std::vector<std::string> l;
                      EXPECT_FALSE(root.Read("s", &s) || root.Read("b", &b) || root.Read("u", &u) ||
                                   root.Read("d", &d) || root.Read("l", &l) || root.Table("t"));
                    }),
              error);
  }
}

TEST(TomlFileTest, AKeyThatNobodyAsksForIsAnErrorWithAGuess) {
  const auto read = [](TomlTable root) {
    std::string s;
    root.Read("profile", &s);
    root.Read("fail-on", &s);
    if (auto table = root.Table("limits")) table->Read("keys", &s);
    if (auto table = root.Table("none")) table->Keys();
  };
  EXPECT_EQ(Error("\nprofil = 'a'", read),
            "f.toml:2: unknown key \"profil\"; did you mean profile?");
  EXPECT_EQ(Error("zzzz = 'a'", read),
            "f.toml:1: unknown key \"zzzz\"; expected one of fail-on, limits, none, profile");
  EXPECT_EQ(Error("[limits]\nkes = '1'", read),
            "f.toml:2: unknown key \"kes\"; did you mean keys?");
  EXPECT_EQ(Error("none = {x = 1}", read), "f.toml:1: unknown key \"x\"; no keys are allowed here");
  EXPECT_EQ(Error("\"a\\u001b\\nb\" = 1", read),
            "f.toml:1: unknown key \"a\\x1b\\nb\"; expected one of fail-on, limits, none, profile");
}

TEST(TomlFileTest, TheFirstErrorIsTold) {
  EXPECT_EQ(Error("a = 1\nb = 2\nc = 3\n[t]\n",
                  [](TomlTable root) {
                    std::string s;
                    root.Read("b", &s);
                    root.Read("c", &s);
                    root.Fail("t", "is not wanted");
                  }),
            "f.toml:1: unknown key \"a\"; expected one of b, c");
  EXPECT_EQ(Error("l = ['x',\n'y']",
                  [](TomlTable root) {
                    std::vector<std::string> l;
                    root.Read("l", &l);
                    root.Fail("l", 1, "y is wrong");
                  }),
            "f.toml:2: y is wrong");
}

TEST(TomlFileTest, KeysAreThoseOfTheFile) {
  EXPECT_EQ(Error("b = 1\n\"a b\" = 1",
                  [](TomlTable root) {
                    EXPECT_EQ(root.Keys(), (std::vector<std::string>{"a b", "b"}));
                    uint64_t u;
                    for (const std::string& key : root.Keys()) {
                      EXPECT_TRUE(root.Read(key, &u));
                    }
                  }),
            "");
}

TEST(TomlFileTest, WhatIsNoTomlNamesItsLine) {
  EXPECT_EQ(SyntaxError("a = 1\na = 2"),
            "f.toml:2: Error while parsing key-value pair: cannot redefine existing integer 'a'");
  EXPECT_EQ(SyntaxError("\n\na"),
            "f.toml:3: Error while parsing key-value pair: encountered end-of-file");
  EXPECT_EQ(SyntaxError("\u00fc = 1"), "f.toml:1: non-ASCII text must be in quotes");
  EXPECT_EQ(SyntaxError(""), "");
}

constexpr char kQuotes[] = ": non-ASCII text must be in quotes";

TEST(TomlFileTest, BeyondAsciiOnlyInStringsOfOneLineAndComments) {
  EXPECT_EQ(SyntaxError("# \u00fc\na = \"\u00fc\" # \u2028\n'\u00fc' = '\u00fc'"), "");
  EXPECT_EQ(SyntaxError("a = 1\n\u00fc = 2"), absl::StrCat("f.toml:2", kQuotes));
  EXPECT_EQ(SyntaxError("a = \"b\\\"\u00fc\""), "");
  EXPECT_EQ(SyntaxError("a = \"b\\\\\"\u00fc"), absl::StrCat("f.toml:1", kQuotes));
  EXPECT_EQ(SyntaxError("a = 'b\\'\u00fc"), absl::StrCat("f.toml:1", kQuotes));
  EXPECT_EQ(SyntaxError("a = 'not closed\n\u00fc"), absl::StrCat("f.toml:2", kQuotes));
  EXPECT_EQ(SyntaxError("a = \"\"\n\u00fc"), absl::StrCat("f.toml:2", kQuotes));
}

TEST(TomlFileTest, StringsOfSeveralLinesAreAscii) {
  EXPECT_EQ(SyntaxError("a = \"\"\"\n\"\"\\\"\"\"\"\"\"\nb = '''\n''''' # \u00fc"), "");
  EXPECT_EQ(SyntaxError("\na = \"\"\"\n\\\n \u00fc\"\"\""),
            "f.toml:2: a multi-line string must be ASCII; use \\u escapes");
  EXPECT_EQ(SyntaxError("a = '''\u00fc"),
            "f.toml:1: a multi-line string must be ASCII; use \\u escapes");
}

TEST(TomlFileTest, NoStringFollowsAnotherValueDirectly) {
  constexpr char kGlued[] = "a string must not follow another value directly";
  EXPECT_EQ(SyntaxError("a = 0\"\u00fc\""), absl::StrCat("f.toml:1: ", kGlued));
  EXPECT_EQ(SyntaxError("a = 1\n\n'\u00fc'\"\""), absl::StrCat("f.toml:3: ", kGlued));
  EXPECT_EQ(SyntaxError("a = +b[c.d='\u00fc'"), absl::StrCat("f.toml:1: ", kGlued));
  EXPECT_EQ(SyntaxError("a =='\u00fc'"), absl::StrCat("f.toml:1: ", kGlued));
  EXPECT_EQ(SyntaxError("a = [1, {b = 2{c='\u00fc'"), absl::StrCat("f.toml:1: ", kGlued));
  EXPECT_EQ(SyntaxError("['a'.b]\nc = [ # d\n 'e', {f.'g'='h', 'i'='j'},\n'k']\n'l'=1"), "");
  EXPECT_EQ(SyntaxError("a.'b'.\"c\"=['d',{'e'=\"f\"}]\r\n\t'g' = ''''h'''"), "");
}

TEST(TomlFileTest, DepthIsBounded) {
  constexpr char kDeep[] = "f.toml:1: tables and arrays are nested deeper than 8";
  EXPECT_EQ(SyntaxError("a = [[[[[[[[]]]]]]]]"), "");
  EXPECT_EQ(SyntaxError("a = [[[[[[[[["), kDeep);
  EXPECT_EQ(SyntaxError("a = {b={b={b={b={b={b={b={b={"), kDeep);
  EXPECT_EQ(SyntaxError("a.b.c.d.e.f.g.h = [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]"), "");
  EXPECT_EQ(SyntaxError("a.b.c.d.e.f.g.h.i = 1"), kDeep);
  EXPECT_EQ(SyntaxError("[a . b.\"c\".d.e.f.g.h.i]"), kDeep);
  EXPECT_EQ(SyntaxError("a = '[[[[[[[[[' # [[[[[[[[["), "");
}

TEST(TomlFileTest, TextIsUtf8) {
  EXPECT_EQ(SyntaxError("# \n# \xff"), "f.toml:2: the text is not UTF-8");
}

TEST(TomlFileTest, TheSizeIsBounded) {
  EXPECT_EQ(SyntaxError(std::string(kTomlBytes, '\n')), "");
  EXPECT_EQ(SyntaxError(std::string(kTomlBytes + 1, '\n')),
            "f.toml:1: the file is larger than 262144 bytes");
}

TEST(TomlFileTest, LoadReadsRegularFilesOnly) {
  const std::string folder = testing::TempDir();
  const std::string path = absl::StrCat(folder, "/a.toml");
  std::ofstream(path) << "a = 1\nb\n";
  EXPECT_EQ(
      TomlFile::Load(path).status().message(),
      absl::StrCat(path, ":2: Error while parsing key-value pair: expected '=', saw '\\\\n'"));
  std::ofstream(path) << "a = 1\n";
  EXPECT_EQ(TomlFile::Load(path).value().root().Keys().size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(TomlFile::Load(path + ".not").status()));
  const std::string fifo = absl::StrCat(folder, "/fifo");
  unlink(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(TomlFile::Load(fifo).status().message(), absl::StrCat(fifo, ": not a regular file"));
  EXPECT_EQ(TomlFile::Load(folder).status().message(),
            absl::StrCat(folder, ": not a regular file"));
}

}  // namespace

}  // namespace gguf
