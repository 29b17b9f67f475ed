// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/toml_scan.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns "line N: what", or nothing.
std::string Fault(absl::string_view text) {
  const auto fault = ScanToml(text);
  return fault ? std::to_string(fault->line) + ": " + fault->what : "";
}

constexpr char kQuotes[] = ": non-ASCII text must be in quotes";

TEST(TomlScanTest, BeyondAsciiOnlyInStringsOfOneLineAndComments) {
  EXPECT_EQ(Fault("# \u00fc\na = \"\u00fc\" # \u2028\n'\u00fc' = '\u00fc'"),
            "");
  EXPECT_EQ(Fault("a = 1\n\u00fc = 2"), std::string("2") + kQuotes);
  EXPECT_EQ(Fault("a = \"b\\\"\u00fc\""), "");
  EXPECT_EQ(Fault("a = \"b\\\\\"\u00fc"), std::string("1") + kQuotes);
  EXPECT_EQ(Fault("a = 'b\\'\u00fc"), std::string("1") + kQuotes);
  EXPECT_EQ(Fault("a = 'not closed\n\u00fc"), std::string("2") + kQuotes);
  EXPECT_EQ(Fault("a = \"\"\n\u00fc"), std::string("2") + kQuotes);
}

TEST(TomlScanTest, StringsOfSeveralLinesAreAscii) {
  EXPECT_EQ(Fault("a = \"\"\"\n\"\"\\\"\"\"\"\"\"\nb = '''\n''''' # \u00fc"),
            "");
  EXPECT_EQ(Fault("\na = \"\"\"\n\\\n \u00fc\"\"\""),
            "2: a multi-line string must be ASCII; use \\u escapes");
  EXPECT_EQ(Fault("a = '''\u00fc"),
            "1: a multi-line string must be ASCII; use \\u escapes");
}

TEST(TomlScanTest, NoStringFollowsAnotherValueDirectly) {
  constexpr char kGlued[] = "a string must not follow another value directly";
  EXPECT_EQ(Fault("a = 0\"\u00fc\""), std::string("1: ") + kGlued);
  EXPECT_EQ(Fault("a = 1\n\n'\u00fc'\"\""), std::string("3: ") + kGlued);
  EXPECT_EQ(Fault("a = +b[c.d='\u00fc'"), std::string("1: ") + kGlued);
  EXPECT_EQ(Fault("a =='\u00fc'"), std::string("1: ") + kGlued);
  EXPECT_EQ(Fault("a = [1, {b = 2{c='\u00fc'"), std::string("1: ") + kGlued);
  EXPECT_EQ(
      Fault("['a'.b]\nc = [ # d\n 'e', {f.'g'='h', 'i'='j'},\n'k']\n'l'=1"),
      "");
  EXPECT_EQ(Fault("a.'b'.\"c\"=['d',{'e'=\"f\"}]\r\n\t'g' = ''''h'''"), "");
}

TEST(TomlScanTest, DepthIsBounded) {
  constexpr char kDeep[] = "1: tables and arrays are nested deeper than 8";
  EXPECT_EQ(Fault("a = [[[[[[[[]]]]]]]]"), "");
  EXPECT_EQ(Fault("a = [[[[[[[[["), kDeep);
  EXPECT_EQ(Fault("a = {b={b={b={b={b={b={b={b={"), kDeep);
  EXPECT_EQ(Fault("a.b.c.d.e.f.g.h = [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5]"), "");
  EXPECT_EQ(Fault("a.b.c.d.e.f.g.h.i = 1"), kDeep);
  EXPECT_EQ(Fault("[a . b.\"c\".d.e.f.g.h.i]"), kDeep);
  EXPECT_EQ(Fault("a = '[[[[[[[[[' # [[[[[[[[["), "");
}

TEST(TomlScanTest, TextIsUtf8) {
  EXPECT_EQ(Fault("# \n# \xff"), "2: the text is not UTF-8");
  EXPECT_EQ(Fault(""), "");
}

}  // namespace
}  // namespace gguf
