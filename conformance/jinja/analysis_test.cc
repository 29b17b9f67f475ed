// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/analysis.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

using testing::ElementsAre;

// Returns the text of the first fault of a kind; "" if there is none.
std::string Found(FaultKind kind, absl::string_view text) {
  const Analysis scan = Analyze(text);
  const Fault* fault = scan.faults.Find(kind);
  if (fault == nullptr) return "";
  EXPECT_LE(fault->begin, fault->end);
  EXPECT_LE(fault->end, text.size());
  return fault->text;
}

std::string FoundWhy(FaultKind kind, absl::string_view text) {
  const Analysis scan = Analyze(text);
  const Fault* fault = scan.faults.Find(kind);
  return fault == nullptr ? "" : fault->why;
}

std::string Attribute(absl::string_view expression) {
  return Found(FaultKind::kAttribute, absl::StrCat("{{ ", expression, " }}"));
}

TEST(AnalysisTest, SpecialNamesHoweverSpelt) {
  for (const absl::string_view expression : {
           "().__class__",
           "x['__class__']",
           "x|attr('__class__')",
           "x['__cla' ~ 'ss__']",
           "x['__cla' + 'ss__']",
           "x['__cla' 'ss__']",
           R"(x['\x5f_class\x5f\x5f'])",
           R"(x['\137_class_\u005f'])",
           R"(x["\N{LOW LINE}_class__"])",
           "x|attr(['__cla', 'ss__']|join)",
           "x|attr(('__cla', 'ss__')|join(''))",
           "x|attr(''.join(['__cla', 'ss__']))",
           "x|attr(dict(__cla=1, ss__=2)|join)",
           "x|attr('%s%s'|format('__cla', 'ss__'))",
           "x|attr('%s%s' % ('__cla', 'ss__'))",
           "x|attr('{}{}'.format('__cla', 'ss__'))",
           "x|attr('-class-'|replace('-', '__'))",
           "x|attr('__CLASS'.lower() ~ '__')",
           "x['ssalc'[::-1] ~ '__' if 0 else '__class__']",
           "x[('_' * 2) ~ 'class' ~ '_' * 2]",
           "x['-__class__-'[1:-1]]",
           "x|map(attribute='a.__class__')",
           "'{0.__class__}'.format(x)",
           "'{0[__class__]} and more'.format(x)",
       }) {
    EXPECT_EQ(Attribute(expression), "__class__") << expression;
  }
  EXPECT_EQ(Attribute("__import__('os')"), "__import__");
  EXPECT_EQ(Found(FaultKind::kAttribute, "{% set a = '__cla' %}{% set b = a ~ 'ss__' %}{{ x[b] }}"),
            "__class__");
  EXPECT_EQ(Found(FaultKind::kAttribute, "{% filter attr('__class__') %}x{% endfilter %}"),
            "__class__");
}

TEST(AnalysisTest, OtherUnsafeAttributes) {
  EXPECT_EQ(Attribute("x._y"), "_y");
  EXPECT_EQ(Attribute("x.mro()"), "mro");
  EXPECT_EQ(Attribute("x['popen']"), "popen");
  EXPECT_EQ(Attribute("x|attr('os')"), "os");
  EXPECT_EQ(Attribute("x|map('attr', 'os')"), "os");
  EXPECT_EQ(Attribute("x|selectattr('a.gi_frame')"), "gi_frame");
  EXPECT_EQ(Attribute("x|map(attribute='a.os')"), "os");
  EXPECT_EQ(Attribute("cycler.a"), "cycler.a");
  EXPECT_EQ(Attribute("lipsum.a"), "lipsum.a");
  EXPECT_EQ(Attribute("request.a.b"), "request.b");
  EXPECT_EQ(Attribute("config.a['b'].c"), "");
}

TEST(AnalysisTest, HarmlessAttributes) {
  for (const absl::string_view expression :
       {"message['_id']", "message['os']", "message.content", "config.a", "cycler('a', 'b').next()",
        "ns.system", "x['a' ~ 1]", "x[1:]", "loop.index0", "'never call __init__ of it'",
        "x|attr('name')", "'{0.name}'.format(x)", "'____'", "x.items()|list"}) {
    EXPECT_EQ(Attribute(expression), "") << expression;
  }
  EXPECT_EQ(Found(FaultKind::kAttribute,
                  "a.__class__{# {{ a.__class__ }} #}"
                  "{% raw %}{{ a.__class__ }}{% endraw %}"),
            "");
  EXPECT_EQ(Found(FaultKind::kAttribute, "{% for cycler in x %}{{ cycler.a }}{% endfor %}"), "");
}

// Jinja2 renders nearly all of them as <class 'str'>.
TEST(AnalysisTest, PiecesThatMeetWhenTheTemplateRuns) {
  for (const absl::string_view text : {
           "{% set a='x' %}{% if m %}{% set a='__cla' %}{% else %}"
           "{% set a='y' %}{% endif %}{{ ''[a~'ss__'] }}",
           "{% set a='x' %}{% for i in m %}{{ ''[a~'ss__'] }}"
           "{% set a='__cla' %}{% endfor %}",
           "{% set a='x' %}{% macro f() %}{{ ''[a~'ss__'] }}{% endmacro %}"
           "{% set a='__cla' %}{{ f() }}",
           "{% set a='x' %}{% set u='_' %}{% if m %}{% set u='y' %}{% endif %}"
           "{% set b=u*2~'class'~u*2 %}{{ ''[b] }}",
           "{% set a=['x'] %}{% do a.append('ss__') %}{{ ''['__cla'~a[1]] }}",
           "{% set a=['x'] %}{% do a.append('__cla') %}"
           "{{ ''|attr(a|last~'ss__') }}",
           "{{ ''[('x' if false else '__cla')~'ss__'] }}",
           "{{ ''[('' or '__cla')~'ss__'] }}",
           "{% set a='' or '__cla' %}{{ ''[a~'ss__'] }}",
           "{{ ''[['__cla'][0] + ['ss__'][0]] }}",
           "{% macro f(a, b) %}{{ ''[a+b] }}{% endmacro %}"
           "{{ f('__cla', 'ss__') }}",
           "{% set x %}__cla{{ 'ss__' }}{% endset %}{{ ''[x] }}",
           "{% macro f() %}__cla{# #}ss__{% endmacro %}{{ ''[f()] }}",
           "{% macro f() %}{{ ''[caller()] }}{% endmacro %}"
           "{% call f() %}a __class__{% endcall %}",
           "{% block a %}__cla{# #}ss__{% endblock %}{{ ''[self.a()] }}",
           "{{ ''['a __class__'.split()[1]] }}",
           "{% set a='a_b'[1]*2 %}{{ ''[a+('class',a)|join] }}",
           "{% set d=dict(__cla=1)|list %}{{ ''[d[0]+'ss'+d[0][:2]] }}",
           "{% set a='x' %}{% if m %}{% set a='__cla' %}{% endif %}"
           "{{ ['']|map(attribute=a~'ss__')|list }}",
           "{% set a %}{0.__cla{% endset %}{{ (a~'ss__}').format('') }}",
           "{% set ns.u='%c' % 95 %}{{ ''[ns.u*2~'class'~ns.u*2] }}",
           "{% set ns.u='%c%c'|format(95, 95) %}{{ ''[ns.u~'class'~ns.u] }}",
           "{% set ns.u='{:c}'.format(95) %}{{ ''[ns.u*2~'class'~ns.u*2] }}",
       }) {
    const Analysis scan = Analyze(text);
    EXPECT_NE(scan.faults.Find(FaultKind::kAttributeName), nullptr) << text;
    EXPECT_EQ(scan.faults.Find(FaultKind::kSyntax), nullptr) << text;
  }
}

TEST(AnalysisTest, SpecialNamesInBlocks) {
  for (const absl::string_view text : {"{% set x %}__class__{% endset %}{{ ''[x] }}",
                                       "{% macro f() %} __class__\n{% endmacro %}{{ ''[f()] }}",
                                       "{% call f() %}__class__{% endcall %}",
                                       "{% block a %}{% if x %}__class__{% endif %}{% endblock %}",
                                       "{% set x %}{% raw %}__class__{% endraw %}{% endset %}"}) {
    EXPECT_EQ(Found(FaultKind::kAttribute, text), "__class__") << text;
  }
}

TEST(AnalysisTest, HarmlessPieces) {
  for (const absl::string_view text : {
           "{{ 'call_' ~ x }}{{ x[0] }}{{ x['y'] }}{{ '<|a_b|>' }}",
           "{{ x|replace('-', '_') }}{{ x[loop.index0 + 1] }}{{ x[y - 1] }}",
           "{{ 'a_b' + x }}{{ x[y] }}{{ x|map(attribute='a')|list }}",
           "{% macro f(k) %}the_end{{ x[k] }}{% endmacro %}{{ f('a') }}",
           "a __class__ {{ x[y] }}",
       }) {
    const Analysis scan = Analyze(text);
    EXPECT_EQ(scan.faults.Find(FaultKind::kAttributeName), nullptr) << text;
    EXPECT_EQ(scan.faults.Find(FaultKind::kAttribute), nullptr) << text;
  }
}

TEST(AnalysisTest, Syntax) {
  const auto why = [](absl::string_view text) {
    const Analysis scan = Analyze(text);
    const Fault* fault = scan.faults.Find(FaultKind::kSyntax);
    return fault == nullptr ? "" : absl::StrCat(fault->text, " ", fault->why);
  };
  EXPECT_EQ(why("{% if x %}"), "if begins a block that is never closed");
  EXPECT_EQ(why("{% endif %}"), "endif does not close the open block");
  EXPECT_EQ(why("{% if x %}{% for y in z %}{% endif %}"), "endif does not close the open block");
  EXPECT_EQ(why("{% else %}"), "else is not inside an if");
  EXPECT_EQ(why("{% for x in y %}{% elif z %}{% endfor %}"), "elif is not inside an if");
  EXPECT_EQ(why("{% iff x %}"), "iff is not a statement");
  EXPECT_EQ(why("{{ x"), "{{ begins an unclosed tag");
  EXPECT_EQ(why("{{ (x }}"), "}} ends a tag with an unclosed bracket");
  EXPECT_EQ(why("{{ x ? y }}"), "? is not part of the language");
  EXPECT_EQ(why("{{ x y }}"), "y appears where an operator is expected");
  EXPECT_EQ(why("{{ x + }}"), "}} appears where an operand is expected");
  EXPECT_EQ(why("{{ * x }}"), "* has no left operand");
  EXPECT_EQ(why("{{ | x }}"), "| has no left operand");
  EXPECT_EQ(why("{{ x. }}"), "}} appears where a name is expected");
  EXPECT_EQ(why("{{ x.'y' }}"), "'y' appears where a name is expected");
  EXPECT_EQ(why("{% if x = 1 %}{% endif %}"), "= is not allowed here");
  EXPECT_EQ(why("{{ }}"), "{{ begins a tag without an expression");
  EXPECT_EQ(why("{% if %}{% endif %}"), "{% begins a tag without an expression");
  EXPECT_EQ(why("{% %}"), "{% begins a tag without a statement");
  EXPECT_EQ(why("{{ f(*a, c=1, **b)|g(d=2) }}"), "");
  EXPECT_EQ(why("{{ x is divisibleby 3 }}{{ x is not none and y }}"), "");
  EXPECT_EQ(why("{{ 'a' 'b' }}{{ x[::-1].y.0 }}{{ [1, -x,] }}{{ () }}"), "");
  EXPECT_EQ(why("{% for x in y if z recursive %}{% endfor %}"), "");
  EXPECT_EQ(why("{% with a = 1, b = 2 %}{% endwith %}"), "");
  EXPECT_EQ(why("{% set x %}y{% endset %}{% set x = 1 %}"), "");
  EXPECT_EQ(why("{% set x | upper %}y{% endset %}"), "");
  EXPECT_EQ(why("{% set ns.x = 1 %}{% set a, b = 1, 2 %}"), "");
  EXPECT_EQ(why("{% for a, b in c %}{% else %}{% endfor %}"), "");
  EXPECT_EQ(why("{{ '\\xZZ' }}"), "'\\xZZ' has an incomplete escape sequence");
  EXPECT_EQ(why("{{ '\\x5f' '\\q' }}"), "");
  EXPECT_EQ(why("{% generation %}x{% endgeneration %}"), "");
}

TEST(AnalysisTest, Nesting) {
  const auto nesting = [](absl::string_view text) { return FoundWhy(FaultKind::kNesting, text); };
  const auto times = [](size_t n, absl::string_view part) {
    std::string text;
    for (size_t i = 0; i < n; ++i) absl::StrAppend(&text, part);
    return text;
  };
  const std::string deep = "is nested more than 64 levels deep";
  for (const size_t n : {64, 65}) {
    const std::string expected = n > 64 ? deep : "";
    const std::string open(n, '('), close(n, ')');
    EXPECT_EQ(nesting("{{ " + open + "1" + close + " }}"), expected);
    EXPECT_EQ(nesting("{{ " + times(n, "not ") + "x }}"), expected);
    EXPECT_EQ(nesting("{{ " + times(n, "-") + "x }}"), expected);
    EXPECT_EQ(nesting("{{ " + times(n, "x if y else ") + "x }}"), expected);
    EXPECT_EQ(nesting(times(n, "{% if x %}") + times(n, "{% endif %}")), expected);
    EXPECT_EQ(nesting("{% if x %}{{ " + std::string(n - 1, '[') + std::string(n - 1, ']') +
                      " }}{% endif %}"),
              expected);
  }
  const Analysis cut = Analyze("{{ " + times(6000, "not (") + "x");
  EXPECT_TRUE(cut.is_cut);
  EXPECT_EQ(cut.faults.Find(FaultKind::kSyntax), nullptr);
  EXPECT_EQ(Analyze("{{ " + times(65, "not ") + "x }}").faults.Find(FaultKind::kSyntax), nullptr);
  EXPECT_EQ(nesting("{{ x" + times(1000, " + x") + "}}"), "");
  EXPECT_EQ(nesting("{{ x" + times(1001, " + x") + "}}"),
            "has an expression of more than a thousand operators");
  EXPECT_EQ(nesting("{{ x" + times(1001, ".x") + "}}"),
            "has an expression of more than a thousand operators");
  EXPECT_EQ(nesting("{{ [" + times(1001, "-x, ") + "] }}"), "");
  EXPECT_EQ(nesting("{{ [" + times(65, "x if y else z, ") + "] }}"), "");
  EXPECT_EQ(nesting("{% if x %}" + times(1001, "{% elif x %}")),
            "has an if with more than a thousand branches");
}

TEST(AnalysisTest, Macros) {
  const auto endless = [](absl::string_view text) { return Found(FaultKind::kEndlessMacro, text); };
  const auto recursive = [](absl::string_view text) {
    return Found(FaultKind::kRecursiveMacro, text);
  };
  const std::string end = "{% endmacro %}";
  EXPECT_EQ(endless("{% macro m() %}{{ m() }}" + end), "m");
  EXPECT_EQ(endless("{% macro a() %}{{ b() }}" + end + "{% macro b() %}{{ a() }}" + end), "a");
  EXPECT_EQ(endless("{% macro m() %}{% call m() %}{% endcall %}" + end), "m");
  for (const std::string body : {"{% if x %}{{ m() }}{% endif %}", "{{ m() if x }}",
                                 "{{ x and m() }}", "{% for i in x %}{{ m() }}{% endfor %}"}) {
    EXPECT_EQ(endless("{% macro m() %}" + body + end), "") << body;
    EXPECT_EQ(recursive("{% macro m() %}" + body + end), "m") << body;
  }
  // Neither a macro that only leads to such a one, nor one that is endless.
  EXPECT_EQ(recursive("{% macro a() %}{{ m() }}" + end + "{% macro m() %}{{ m() if x }}" + end),
            "m");
  EXPECT_EQ(recursive("{% macro m() %}{{ m() }}" + end), "");
  const std::string twice = "{% macro m() %}{% endmacro %}{{ m() }}{{ m() }}";
  EXPECT_EQ(recursive(twice), "");
  EXPECT_EQ(recursive("{% for x in y recursive %}{{ loop(x.y) }}{% endfor %}"), "");
}

TEST(AnalysisTest, OtherTemplates) {
  for (const absl::string_view statement :
       {"import 'x' as y", "from 'x' import y", "include 'x'", "extends 'x'"}) {
    EXPECT_NE(Found(FaultKind::kOtherTemplate, absl::StrCat("{% ", statement, " %}")), "")
        << statement;
  }
}

TEST(AnalysisTest, SpecialTokens) {
  const Analysis scan = Analyze(
      "<|a|> {{ '<|b_1|>' ~ '<|a|>' }}{# <|c|> #}<|d e|><||><|f<|g|>"
      "<\uff5ch\u2581i\uff5c><\uff5cj|><k>");
  std::vector<std::string> texts;
  for (const Token& token : scan.special_tokens) {
    texts.emplace_back(token.text);
  }
  EXPECT_THAT(texts, ElementsAre("<|a|>", "<|b_1|>", "<|g|>", "<\uff5ch\u2581i\uff5c>"));
}

// A scan that is not linear takes minutes.
TEST(AnalysisTest, LongTemplatesTakeLinearTime) {
  for (const absl::string_view part :
       {"{% set a = a ~ 'b' %}", "{{ f(f(x)) }}", "{% macro m() %}{{ m() }}",
        "{% if x %}{% endif %}", "<|a", "{{ x[", "{% for i in range(9) %}", "{{ '__' ~ '__' }}",
        "{% endif %}", "{% elif x %}"}) {
    std::string text;
    while (text.size() < 1000000) absl::StrAppend(&text, part);
    EXPECT_FALSE(Analyze(text).special_tokens.size() > 1000);
  }
}

}  // namespace
}  // namespace gguf::jinja
