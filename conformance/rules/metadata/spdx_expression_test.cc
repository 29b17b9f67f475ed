// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/metadata/spdx_expression.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

std::string Fault(absl::string_view text) {
  const SpdxFault fault = CheckSpdxExpression(text);
  return fault.why == nullptr ? "" : absl::StrCat(fault.word, ": ", fault.why);
}

TEST(SpdxExpressionTest, Right) {
  for (const char* text :
       {"MIT", "apache-2.0", "MIT OR Apache-2.0", "mit or apache-2.0",
        "GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0+", "GPL-3.0",
        "(MIT)", "((MIT) AND (BSD-3-Clause OR ISC))", " MIT ",
        "LicenseRef-llama3", "DocumentRef-x.y:LicenseRef-z", "cc-by-nc-4.0",
        "LGPL-2.1-only OR MIT AND BSD-3-Clause",
        "GPL-2.0-only WITH Classpath-exception-2.0 AND MIT",
        "(MIT OR GPL-2.0-only WITH GCC-exception-3.1)",
        "MIT WITH AdditionRef-x"}) {
    EXPECT_EQ(Fault(text), "") << text;
  }
}

TEST(SpdxExpressionTest, Wrong) {
  const std::string no_licence = ": is not a licence of the SPDX list";
  const std::string no_operator = ": stands where AND, OR or WITH is expected";
  EXPECT_EQ(Fault(""), ": a licence is missing at the end");
  EXPECT_EQ(Fault("  "), ": a licence is missing at the end");
  EXPECT_EQ(Fault("other"), "other" + no_licence);
  EXPECT_EQ(Fault("llama3"), "llama3" + no_licence);
  EXPECT_EQ(Fault("Apache 2.0"), "Apache" + no_licence);
  EXPECT_EQ(Fault("MIT Apache-2.0"), "Apache-2.0" + no_operator);
  EXPECT_EQ(Fault("MIT,Apache-2.0"), "MIT,Apache-2.0" + no_licence);
  EXPECT_EQ(Fault("MIT OR"), ": a licence is missing at the end");
  EXPECT_EQ(Fault("OR MIT"), "OR" + no_licence);
  EXPECT_EQ(Fault("MIT AND OR ISC"), "OR" + no_licence);
  EXPECT_EQ(Fault("(MIT"), ": a parenthesis is not closed");
  EXPECT_EQ(Fault("MIT)"), ")" + no_operator);
  EXPECT_EQ(Fault("()"), ")" + no_licence);
  EXPECT_EQ(Fault("MIT (ISC)"), "(" + no_operator);
  EXPECT_EQ(Fault("(MIT) WITH GCC-exception-3.1"), "WITH" + no_operator);
  EXPECT_EQ(Fault("MIT WITH"), ": an exception is missing at the end");
  EXPECT_EQ(Fault("MIT WITH ISC"), "ISC: is not an exception of the SPDX list");
  EXPECT_EQ(Fault("GCC-exception-3.1"), "GCC-exception-3.1" + no_licence);
  EXPECT_EQ(Fault("LicenseRef-"), "LicenseRef-" + no_licence);
  EXPECT_EQ(Fault("LicenseRef-a_b"), "LicenseRef-a_b" + no_licence);
  EXPECT_EQ(Fault("DocumentRef-x"), "DocumentRef-x" + no_licence);
  EXPECT_EQ(Fault("+"), "+" + no_licence);
  EXPECT_EQ(Fault("MIT +"), "+" + no_operator);
  EXPECT_EQ(Fault(absl::string_view("MIT\0", 4)),
            std::string("MIT\0", 4) + no_licence);
}

TEST(SpdxExpressionTest, AMillionParenthesesTakeNoStack) {
  const std::string open(1000000, '('), close(1000000, ')');
  EXPECT_EQ(Fault(open + "MIT" + close), "");
  EXPECT_EQ(Fault(open), ": a licence is missing at the end");
  EXPECT_EQ(Fault("MIT" + close),
            "): stands where AND, OR or WITH is expected");
}

}  // namespace
}  // namespace gguf
