// Tests the limits on the work of a reader and on the size of values.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/analysis.h"
#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

double FoundNumber(FaultKind kind, absl::string_view text) {
  const Analysis scan = Analyze(text);
  const Fault* fault = scan.faults.Find(kind);
  return fault == nullptr ? 0 : fault->number;
}

double Rounds(absl::string_view text) { return FoundNumber(FaultKind::kLoop, text); }

TEST(TemplateBoundsTest, Loops) {
  EXPECT_EQ(Rounds("{% for i in range(100000) %}{% endfor %}"), 0);
  EXPECT_EQ(Rounds("{% for i in range(100_001) %}{% endfor %}"), 100001);
  EXPECT_EQ(Rounds("{{ range(10**12)|list }}"), 1e12);
  EXPECT_EQ(Rounds("{{ range(5, 10**6, 2)|list }}"), 499998);
  EXPECT_EQ(Rounds("{{ range(0, -(10**6), -1)|list }}"), 1e6);
  EXPECT_EQ(Rounds("{{ range(n)|list }}{{ range(5, n) }}"), 0);
  EXPECT_EQ(Rounds("{% set n = 10**9 %}{{ range(n) }}"), 1e9);
  const std::string loop = "{% for i in range(1000) %}";
  EXPECT_EQ(Rounds(loop + "{% endfor %}" + loop + "{% endfor %}"), 0);
  EXPECT_EQ(Rounds(loop + loop + "{% endfor %}{% endfor %}"), 1e6);
  EXPECT_EQ(Rounds(loop + "{% for x in y %}" + loop), 1e6);
  const std::string text = "{% for i in 'a' * 1000 %}";
  EXPECT_EQ(Rounds(text + "{% endfor %}" + text), 0);
  EXPECT_EQ(Rounds(text + text), 1e6);
  EXPECT_EQ(Rounds(loop + "{% for i in ['a', 'b'] * 60 %}"), 1.2e5);
}

TEST(TemplateBoundsTest, LoopsThroughMacros) {
  const std::string loop = "{% for i in range(60000) %}", end = "{% endfor %}";
  const std::string busy = "{% macro m() %}" + loop + end + "{% endmacro %}";
  EXPECT_EQ(Rounds(busy + "{{ m() }}"), 0);
  EXPECT_EQ(Rounds(busy + "{{ m() }}{{ m() }}"), 120001);
  EXPECT_EQ(Rounds(busy + loop + "{{ m() }}" + end), 3.6e9 + 60000);
  EXPECT_EQ(Rounds(loop + "{{ m() }}" + end + busy), 3.6e9 + 60000);
  EXPECT_EQ(Rounds(loop + "{% call m() %}{% endcall %}" + end + busy), 3.6e9 + 60000);
  EXPECT_EQ(Rounds(busy + loop + "{{ n() }}" + end), 0);
  EXPECT_EQ(Rounds(busy + "{% for i in messages %}{{ m() }}{% endfor %}"), 0);
  // A macro that may call itself is not followed into itself.
  EXPECT_EQ(Rounds("{% macro m() %}{{ m() if x }}" + loop + end + "{% endmacro %}" + loop +
                   "{{ m() }}" + end),
            3.6e9 + 60000);
}

TEST(TemplateBoundsTest, ChainsOfMacros) {
  // Each calls the next ten times.
  const auto chain = [](int length) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      absl::StrAppend(&text, "{% macro m", i, "() %}");
      for (int call = 0; call < 10; ++call) {
        absl::StrAppend(&text, "{{ m", i + 1, "() }}");
      }
      absl::StrAppend(&text, "{% endmacro %}");
    }
    return FoundNumber(FaultKind::kLoop, text + "{{ m0() }}");
  };
  EXPECT_EQ(chain(5), 0);
  EXPECT_GT(chain(13), 1e5);
}

TEST(TemplateBoundsTest, Growth) {
  const auto grows = [](absl::string_view set, absl::string_view loop) {
    return FoundNumber(FaultKind::kSize, absl::StrCat("{% set ns = namespace(a='x') %}{% for i in ",
                                                      loop, " %}{% set ", set, " %}{% endfor %}"));
  };
  for (const absl::string_view set :
       {"ns.a = ns.a ~ ns.a", "ns.a = ns.a + ns.a", "ns.a = ns.a * 2",
        "ns.a = (ns.a ~ x) ~ (ns.a|trim)", "ns.a = ns.a * ns.a", "ns.a = [ns.a, ns.a]|join",
        "ns.a = '%s%s' % (ns.a, ns.a)", "ns.a = '{}{}'.format(ns.a, ns.a)", "a = a ~ a",
        "ns.a = ns.a ~ ns.a if i else ''", "ns.a = x or ns.a.strip() * 2"}) {
    EXPECT_EQ(grows(set, "range(64)"), std::pow(2, 64)) << set;
    EXPECT_EQ(grows(set, "messages"), HUGE_VAL) << set;
    EXPECT_EQ(grows(set, "range(20)"), 0) << set;
  }
  for (const absl::string_view set :
       {"ns.a = ns.a ~ x", "ns.a = ns.a + message['content'] + ns.b", "ns.b = ns.a ~ ns.a",
        "ns.a = ns.a ~ (', ' if ns.a else '') ~ x", "ns.a = ns.a if ns.a else x",
        "ns.a = ns.a[:5] ~ x ~ ns.a[5:]", "ns.a = ns.a|length + ns.a|length", "ns.a = ns.a == ns.a",
        "ns.a = ns.a.split(x)|first ~ ns.a.split(x)|last", "ns.a = ns.a + 1", "b = ns.a ~ ns.a"}) {
    EXPECT_EQ(grows(set, "messages"), 0) << set;
  }
  EXPECT_EQ(grows("ns.a %}{{ ns.a }}{{ ns.a }}{% endset", "range(64)"), std::pow(2, 64));
  EXPECT_EQ(grows("a|trim %}{{ a }}{% if x %}{{ a }}{% endif %}{% endset", "messages"), HUGE_VAL);
  EXPECT_EQ(grows("ns.a %}{{ ns.a }}{{ ns.b }}{% endset", "messages"), 0);
  // Through other variables.
  for (const absl::string_view set :
       {"ns.b = ns.a ~ ns.a %}{% set ns.a = ns.b", "x = ns.a ~ ns.a %}{% set ns.a = x",
        "ns.a = ns.a ~ ns.b %}{% set ns.b = ns.b ~ ns.a",
        "ns.b %}{{ ns.a }}{{ ns.a }}{% endset %}{% set ns.a = ns.b|trim"}) {
    EXPECT_EQ(grows(set, "messages"), HUGE_VAL) << set;
    EXPECT_EQ(grows(set, "range(20)"), 0) << set;
  }
  for (const absl::string_view set :
       {"ns.b = ns.a %}{% set ns.a = ns.b ~ x", "ns.b = ns.a ~ ns.a %}{% set ns.c = ns.b ~ ns.b",
        "ns.a = ns.a ~ ns.b %}{% set ns.b = x", "ns.a, ns.b = ns.b, ns.a"}) {
    EXPECT_EQ(grows(set, "messages"), 0) << set;
  }
  EXPECT_EQ(grows("_ = x.extend(x)", "range(64)"), std::pow(2, 64));
  EXPECT_EQ(grows("f = x.extend %}{% set _ = f(x)", "messages"), HUGE_VAL);
  EXPECT_EQ(grows("_ = x.extend(x)", "range(20)"), 0);
  EXPECT_EQ(grows("_ = x.extend(y)", "messages"), 0);
  EXPECT_EQ(grows("_ = x.append(x)", "messages"), 0);
  const std::string twice = "{% set ns.a = ns.a ~ ns.a %}";
  std::string line = "{% set ns = namespace(a='x') %}";
  for (int i = 0; i < 20; ++i) line += twice;
  EXPECT_EQ(FoundNumber(FaultKind::kSize, line), 0);
  EXPECT_EQ(FoundNumber(FaultKind::kSize, line + twice), std::pow(2, 21));
  EXPECT_EQ(FoundNumber(FaultKind::kSize, line + "{% set ns.a = '' %}" + twice), 0);
  EXPECT_EQ(FoundNumber(FaultKind::kSize, "{% macro m(ns) %}" + twice + "{% endmacro %}"),
            HUGE_VAL);
}

TEST(TemplateBoundsTest, Sizes) {
  const auto size = [](absl::string_view expression) {
    return FoundNumber(FaultKind::kSize, absl::StrCat("{{ ", expression, "}}"));
  };
  EXPECT_EQ(size("'a' * 1048576"), 0);
  EXPECT_EQ(size("'a' * 1048577"), 1048577);
  EXPECT_EQ(size("10**10 * 'ab'"), 2e10);
  EXPECT_EQ(size("['a', 1] * 10**9"), 2e9);
  EXPECT_EQ(size("('a' * 10**6) * 10"), 1e7);
  EXPECT_EQ(size("10 ** 10000000"), 1e7);
  EXPECT_EQ(size("9 ** 9 ** 9"), 0);  // (9 ** 9) ** 9, 78 digits.
  EXPECT_EQ(size("'a'|center(10**9)"), 1e9);
  EXPECT_EQ(size("x|indent(10**9)"), 1e9);
  EXPECT_EQ(size("x|indent(width=10**9)"), 1e9);
  EXPECT_EQ(size("x|tojson(indent=10**9)"), 1e9);
  EXPECT_EQ(size("x|tojson(indent=4)"), 0);
  EXPECT_EQ(size("x|batch(10**9, 'x')"), 1e9);
  EXPECT_EQ(size("x|batch(10**9)"), 0);
  EXPECT_EQ(size("x|slice(10**9)"), 1e9);
  EXPECT_EQ(size("'\t'.expandtabs(10**9)"), 1e9);
  EXPECT_EQ(size("x|wordwrap(10**9)"), 0);
  EXPECT_NEAR(size("'%9000000d' % 1"), 9e6, 10);
  EXPECT_EQ(size("'=' * 80"), 0);
}

}  // namespace
}  // namespace gguf::jinja
