// Tests the interpreter.  The expected texts are those of Jinja2 3.1; ./dev test-templates compares
// whole templates with it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/interpreter.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/conversations.h"
#include "conformance/jinja/machine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

using ::testing::HasSubstr;

struct Case {
  absl::string_view text;
  absl::string_view expected;  // After a ! the error.
};

Rendering RenderText(absl::string_view text, const MachineOptions& options = {}) {
  static const auto& variables = *new Variables{
      {"s", "Hello World"},
      {"u", "Größe ñandú 日本語 😀"},
      {"n", 7},
      {"l", {3, 1, 2}},
      {"d", {{"b", 1}, {"a", "x"}, {"items", 9}}},
      {"m", Json::parse(R"([{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"},
                            {"role": "assistant", "content": "A", "calls": [{"name": "f"}]},
                            {"role": "user", "content": "B"}])")}};
  return Render(*Parse(text), variables, options);
}

void ExpectAll(absl::Span<const Case> cases, bool is_immutable = true) {
  MachineOptions options;
  options.is_immutable = is_immutable;
  for (const Case& each : cases) {
    const Rendering rendering = RenderText(each.text, options);
    const bool is_error = absl::StartsWith(each.expected, "!");
    EXPECT_EQ(rendering.outcome, is_error ? Rendering::kRaised : Rendering::kRendered) << each.text;
    EXPECT_EQ(is_error ? absl::StrCat("!", rendering.error) : rendering.text, each.expected)
        << each.text;
  }
}

TEST(InterpreterTest, Literals) {
  constexpr Case kCases[] = {
      {"{{ 1 }} {{ 1.0 }} {{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 1e-5 }} {{ 1/3 }} {{ 5e-324 }} {{ "
       "0.1 + 0.2 }}",
       "1 1.0 1e+16 1000000000000000.0 0.0001 1e-05 0.3333333333333333 5e-324 0.30000000000000004"},
      {"{{ true }} {{ none }} {{ [1, 'a', none, 1.5] }} {{ (1,) }} {{ () }} {{ {} }} {{ {'a': 1, "
       "2: 'b'} }}",
       "True None [1, 'a', None, 1.5] (1,) () {} {'a': 1, 2: 'b'}"},
      {R"({{ ["it's", 'say "x"', "both ' \"", '\n\t\\', 'é日😀', '\u200b'] }})",
       R"(["it's", 'say "x"', 'both \' "', '\n\t\\', 'é日😀', '\u200b'])"},
      {"{{ 1, 'a' }} {{ 'a' 'b' }} {{ namespace(a=1) }} {{ d.items() }}",
       "(1, 'a') ab <Namespace {'a': 1}> dict_items([('b', 1), ('a', 'x'), ('items', 9)])"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Numbers) {
  constexpr Case kCases[] = {
      {"{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 4 / "
       "2 }}",
       "3 -4 -2 2 3.0 0.5 2.0"},
      {"{{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 0.5 }} {{ (-2) ** 3 }} {{ 0 ** 0 }} {{ (-1) ** "
       "9999999999 }}",
       "1024 0.5 1.4142135623730951 -8 1 -1"},
      {"{{ 9223372036854775807 + 1 > 5 }} {{ +5 }} {{ -true }} {{ - 0.0 }} {{ 1 == true }} {{ 1 == "
       "1.0 }}",
       "True 5 -1 -0.0 True True"},
      {"{{ 1 / 0 }}", "!division by zero"},
      {"{{ 0 ** -1 }}", "!0.0 cannot be raised to a negative power"},
      {"{{ none + 1 }}", "!unsupported operand type(s) for +: 'NoneType' and 'int'"},
      {"{{ -'a' }}", "!bad operand type for unary -: 'str'"},
      {"{{ '12'|int }} {{ '12.7'|int }} {{ 'x'|int }} {{ 'x'|int(5) }} {{ -3.9|int }} {{ "
       "'0x1f'|int(0, 16) }} {{ '1_000'|int }}",
       "12 12 0 5 -3 31 1000"},
      {"{{ '1.5'|float }} {{ 'x'|float }} {{ 3|float }} {{ (-5)|abs }} {{ (-5.5)|abs }}",
       "1.5 0.0 3.0 5 5.5"},
      {"{{ 2.567|round(2) }} {{ 2.5|round }} {{ 3.5|round }} {{ 42|round }} {{ 42.55|round(1, "
       "'floor') }} {{ 1234|round(-2) }} {{ 1.005|round(2) }}",
       "2.57 2.0 4.0 42 42.5 1200 1.0"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Sequences) {
  constexpr Case kCases[] = {
      {"{{ 'ab' * 3 }} {{ 'x' * -1 }} {{ [1] + [2] }} {{ (1,) + (2, 3) }} {{ 2 * [1] }} {{ 'a' ~ 1 "
       "~ none ~ x ~ [1] }}",
       "ababab  [1, 2] (1, 2, 3) [1, 1] a1None[1]"},
      {"{{ s[-1] }}{{ u[3] }}{{ u[-1] }}{{ u[2:5] }}{{ u[::-1] }}{{ u[-3:] }}{{ l[::2] }}{{ l[-2:] "
       "}}{{ l[5:] }}{{ (1, 2, 3)[1:] }}",
       "dß😀öße😀 語本日 údnañ eßörG語 😀[3, 2][1, 2][](2, 3)"},
      {"{{ s[99] }}{{ l[9] }}{{ l[-1] }}{{ range(5)[2] }}{{ range(9)[2:4]|list }}{{ 3 in range(5) "
       "}}",
       "22[2, 3]True"},
      {"{{ {1: 'a'}[true] }}{{ {(1, 2): 3}[(1, 2)] }}{{ {'1': 'a'}[1] }}{{ d.a }}{{ d['items'] "
       "}}{{ d.get('q', 5) }}",
       "a3x95"},
      {"{{ 'a' in 'abc' }}{{ 1 in [1] }}{{ 'a' in d }}{{ 'q' not in d }}{{ x in [1] }}{{ 1 in x }}",
       "TrueTrueTrueTrueFalseFalse"},
      {"{{ 1 < 2 < 3 }}{{ 1 < 2 > 5 }}{{ 'a' < 'b' }}{{ [1, 2] < [1, 3] }}{{ [1] == (1,) }}{{ "
       "{'a': 1} == {'a': 1.0} }}",
       "TrueFalseTrueTrueFalseTrue"},
      {"{{ 'a' + 1 }}", R"(!can only concatenate str (not "int") to str)"},
      {"{{ 1 + 'a' }}", "!unsupported operand type(s) for +: 'int' and 'str'"},
      {"{{ 1 < 'a' }}", "!'<' not supported between instances of 'int' and 'str'"},
      {"{{ 1 in 'abc' }}", "!'in <string>' requires string as left operand, not int"},
      {"{{ 1 in 5 }}", "!argument of type 'int' is not iterable"},
      {"{{ {[1]: 2} }}", "!unhashable type: 'list'"},
      {"{{ l[::0] }}", "!slice step cannot be zero"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Undefined) {
  constexpr Case kCases[] = {
      {"{{ x }}|{{ x|length }}|{{ x|list }}|{{ x|upper }}|{{ x|default('d') }}|{{ x == y }}|{{ not "
       "x }}|{{ 1 if x }}|{{ '%s' % x }}",
       "|0|[]||d|True|True||"},
      {"{{ x.y }}", "!'x' is undefined"},
      {"{{ d.zz.y }}", "!'dict object' has no attribute 'zz'"},
      {"{{ l[9].x }}", "!list object has no element 9"},
      {"{{ l['x'].y }}", "!'list object' has no attribute 'x'"},
      {"{{ s.nope() }}", "!'str object' has no attribute 'nope'"},
      {"{{ none.x.y }}", "!'None' has no attribute 'x'"},
      {"{{ x + 1 }}", "!'x' is undefined"},
      {"{{ 'a' + x }}", "!'x' is undefined"},
      {"{{ x < 1 }}", "!'x' is undefined"},
      {"{{ x() }}", "!'x' is undefined"},
      {"{{ x|int }}", "!'x' is undefined"},
      {"{{ []|first.x }}", "!No filter named 'first.x'."},
      {"{{ d.a() }}", "!'str' object is not callable"},
      {"{{ x|tojson }}", "!Object of type Undefined is not JSON serializable"},
      {"{{ x[1:] }}", "!'x' is undefined"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Sandbox) {
  constexpr Case kCases[] = {
      {"{{ s.__class__ }}|{{ d['__class__'] }}|{{ s|attr('__class__') }}|{{ d._x }}|{{ {'_x': "
       "1}._x }}|{{ '{0.__class__}'.format('a') }}",
       "||||1|"},
      {"{{ s.__class__.x }}", "!access to attribute '__class__' of 'str' object is unsafe."},
      {"{{ l.append(1) }}", "!access to attribute 'append' of 'list' object is unsafe."},
      {"{{ d.pop('a') }}", "!access to attribute 'pop' of 'dict' object is unsafe."},
      {"{{ raise_exception('oh no') }}", "!oh no"},
      {"{% include 'x' %}", "!no loader for this environment specified"},
      {"{{ range(100001) }}",
       "!Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000)."},
      {"{{ l|nope }}", "!No filter named 'nope'."},
      {"{{ 1 is nope }}", "!No test named 'nope'."},
      {"{% if false %}{{ l|nope }}{% endif %}ok", "ok"},
      {"{% if true %}{{ l|nope }}{% endif %}", "!No filter named 'nope'."},
      {"{% if false %}{% for a in l %}{{ a|nope }}{% endfor %}{% endif %}",
       "!No filter named 'nope'."},
      {"{{ 1 if true else l|nope }}", "1"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, TextMethods) {
  constexpr Case kCases[] = {
      {"{{ u.upper() }} {{ u.lower() }} {{ u.title() }} {{ s.swapcase() }} {{ 'ÀÉ ß'|upper }} {{ "
       "'hELLO'.capitalize() }} {{ 'ЖЗ'|lower }}",
       "GRÖSSE ÑANDÚ 日本語 😀 größe ñandú 日本語 😀 Größe Ñandú 日本語 😀 hELLO wORLD ÀÉ SS Hello "
       "жз"},
      {"{{ s.split() }}{{ s.split('o', 1) }}{{ s.rsplit('o', 1) }}{{ ' a b  c '.split(none, 1) "
       "}}{{ ' a b  c '.rsplit(none, 1) }}{{ ''.split('x') }}{{ 'a,b,c'.split(',', maxsplit=1) }}",
       "['Hello', 'World']['Hell', ' World']['Hello W', 'rld']['a', 'b  c '][' a b', 'c']['']['a', "
       "'b,c']"},
      {R"({{ ['  x\n '.strip(), ' x '.lstrip(), ' x '.rstrip(), 'xxaxx'.strip('x'), '日x日'.strip('日'), '\u3000x'.strip()] }})",
       "['x', 'x ', ' x', 'a', 'x', 'x']"},
      {"{{ s.startswith('He') }}{{ s.startswith(('x', 'He')) }}{{ s.startswith('W', 6) }}{{ "
       "s.endswith('o', 0, 5) }}",
       "TrueTrueTrueTrue"},
      {"{{ 'abc'.replace('', '-') }} {{ s.replace('l', 'L', 1) }} {{ 'aaa'.replace('aa', 'b') }} "
       "{{ ','.join('abc') }}",
       "-a-b-c- HeLlo World ba a,b,c"},
      {"{{ s.find('o') }} {{ s.find('o', 5) }} {{ s.rfind('o') }} {{ s.find('zz') }} {{ "
       "u.find('日') }} {{ s.count('l') }} {{ s.count('') }} {{ s.index('W') }}",
       "4 7 7 -1 12 3 12 6"},
      {"{{ s.partition(' ') }}{{ s.rpartition('o') }}{{ s.partition('x') }}{{ "
       "s.removeprefix('Hel') }}{{ s.removesuffix('ld') }}",
       "('Hello', ' ', 'World')('Hello W', 'o', 'rld')('Hello World', '', '')lo WorldHello Wor"},
      {"{{ s.center(15, '*') }}|{{ s.ljust(13) }}|{{ s.rjust(13, '.') }}|{{ '-5'.zfill(4) }}|{{ "
       "'ab'.center(5) }}|{{ 'abc'.center(6) }}|",
       "**Hello World**|Hello World  |..Hello World|-005|  ab | abc  |"},
      {R"({{ 'a\nb\r\nc\x0bd'.splitlines() }}{{ 'a\nb\n'.splitlines(true) }})",
       R"(['a', 'b', 'c', 'd']['a\n', 'b\n'])"},
      {"{{ 'ab'.isalpha() }}{{ 'ab1'.isalnum() }}{{ '12'.isdigit() }}{{ ''.isdigit() }}{{ ' "
       "'.isspace() }}{{ 'AB'.isupper() }}{{ 'aB'.islower() }}{{ 'é日'.isalpha() }}{{ ''.isascii() "
       "}}",
       "TrueTrueTrueFalseTrueTrueFalseTrueTrue"},
      {"{{ s.index('zz') }}", "!substring not found"},
      {"{{ 'a'.split('') }}", "!empty separator"},
      {"{{ s.startswith(1) }}", "!first arg must be str or a tuple of str"},
      {"{{ ','.join([1]) }}", "!expected str, not int"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Formats) {
  constexpr Case kCases[] = {
      {R"({{ '%s is %d, %5.2f|%-5s|%05d|%x|%X|%%|%r|%+d|% d|%e|%g|%5s|%.2s' % ('a', 5, 3.14159, 'ab', 42, 255, 255, "q'", 3, 4, 12345.678, 0.0001, 'xy', 'abcdef') }})",
       R"(a is 5,  3.14|ab   |00042|ff|FF|%|"q'"|+3| 4|1.234568e+04|0.0001|   xy|ab)"},
      {"{{ '%s' % [1, 2] }}{{ '%(a)s' % {'a': 1} }}{{ '%s' % ((1, 2),) }}{{ '%d' % 3.9 }}{{ '%*d' "
       "% (5, 42) }}{{ '%#x' % 255 }}{{ 'x' % {} }}{{ '%s-%s'|format('a', 2) }}",
       "[1, 2]1(1, 2)3   420xffxa-2"},
      {"{{ '%d' % 'a' }}", "!a number is required, not str"},
      {"{{ '%s %s' % ('a',) }}", "!not enough arguments for format string"},
      {"{{ '%s' % (1, 2) }}", "!not all arguments converted during string formatting"},
      {"{{ '%z' % 5 }}", "!unsupported format character"},
      {"{{ '{} {}'.format(1, 'a') }} {{ '{0} {1} {0}'.format('a', 'b') }} {{ '{a} {b[x]} "
       "{c.role}'.format(a=1, b={'x': 2}, c=m[0]) }} {{ '{0[0]}'.format([7]) }}",
       "1 a a b a 1 2 system 7"},
      {"{{ '{:>5}|{:<5}|{:^5}|{:*^7}|{:5}|{:.3}'.format('a', 'b', 'c', 'd', 5, 'abcdef') }} {{ "
       "'{{}} {!r}'.format('a') }} {{ '{:{}}|'.format('a', 5) }}",
       "    a|b    |  c  |***d***|    5|abc {} 'a' a    |"},
      {"{{ '{:05d} {:,} {:.2f} {:x} {:#x} {:b} {:+} {:e} {:.1%} {:,.2f} {:08.3f} {:_}'.format(42, "
       "1234567, 3.14159, 255, 255, 5, 3, 12345.6, 0.256, 1234567.891, -3.14159, 1234567) }}",
       "00042 1,234,567 3.14 ff 0xff 101 +3 1.234560e+04 25.6% 1,234,567.89 -003.142 1_234_567"},
      {"{{ '{'.format() }}", "!the braces of a format do not match"},
      {"{{ '{:d}'.format('a') }}", "!unsupported format of str"},
      {"{{ '{:5}'.format(none) }}", "!unsupported format of NoneType"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Filters) {
  constexpr Case kCases[] = {
      {"{{ l|join(', ') }} {{ m|join(',', attribute='role') }} {{ 'abc'|join('-') }} {{ [1, none, "
       "x]|join('-') }}",
       "3, 1, 2 system,user,assistant,user a-b-c 1-None-"},
      {"{{ l|sort }}{{ l|sort(reverse=true) }}{{ ['b', 'A', 'c']|sort }}{{ ['b', "
       "'A']|sort(case_sensitive=true) }}{{ [[2, 1], [1, 5]]|sort(attribute='1,0') }}{{ [1, "
       "'a']|list }}",
       "[1, 2, 3][3, 2, 1]['A', 'b', 'c']['A', 'b'][[2, 1], [1, 5]][1, 'a']"},
      {"{{ l|max }}{{ ['b', 'A']|min }}{{ []|max }}{{ l|sum }}{{ [[1], [2]]|sum(start=[]) }}{{ "
       "m|max(attribute='content') }}",
       "3A6[1, 2]{'role': 'system', 'content': 'S'}"},
      {"{{ l|first }}{{ l|last }}{{ d|first }}{{ s|last }}{{ u|length }}{{ d|count }}{{ "
       "l|reverse|list }}{{ u|reverse }}",
       "32bd173[2, 1, 3]😀 語本日 údnañ eßörG"},
      {"{{ l|map('string')|list }}{{ m|map(attribute='role')|join(',') }}{{ m|map(attribute='zz', "
       "default='q')|first }}{{ ['a b']|map('replace', ' ', '_')|list }}",
       "['3', '1', '2']system,user,assistant,userq['a_b']"},
      {"{{ m|selectattr('role', 'equalto', 'user')|list|length }}{{ "
       "m|rejectattr('calls')|list|length }}{{ m|selectattr('calls', 'defined')|list|length }}{{ "
       "l|select('odd')|list }}{{ l|reject('gt', 1)|list }}{{ [0, 1]|select|list }}",
       "231[3, 1][1][1]"},
      {"{{ d|items|list }}{{ {'b': 1, 'A': 2}|dictsort }}{{ {'b': 2, 'A': 1}|dictsort(false, "
       "'value') }}",
       "[('b', 1), ('a', 'x'), ('items', 9)][('A', 2), ('b', 1)][('A', 1), ('b', 2)]"},
      {"{{ l|batch(2, 'x')|list }}{{ range(10)|slice(3)|list }}{{ l|slice(2, 'x')|list }}{{ [1, 1, "
       "'a', 'A']|unique|list }}",
       "[[3, 1], [2, 'x']][[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]][[3, 1], [2, 'x']][1, 'a']"},
      {"{% for r, g in m|groupby('role') %}{{ r }}:{{ g|length }};{% endfor %}{% for g in "
       "m|groupby('role') %}{{ g.grouper }}={{ g.list|length }} {% endfor %}",
       "assistant:1;system:1;user:2;assistant=1 system=1 user=2 "},
      {"{{ x|default('d') }}{{ none|default('d') }}{{ none|d('d', true) }}{{ '<a>'|e }}{{ '<'|safe "
       "+ '<' }}{{ '<'|safe ~ '<' }}",
       "dNoned&lt;a&gt;<&lt;<<"},
      {R"({{ 'a\nb\n\nc'|indent }}|{{ 'a\nb'|indent(2, true) }}|{{ 'a\n\nb'|indent(2, blank=true) }}|{{ 'a\nb'|indent('>>') }})",
       R"(a
    b

    c|  a
  b|a
  
  b|a
>>b)"},
      {R"({{ "hello wORLD foo-bar it's"|title }} {{ "it's a".title() }} {{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9, true) }} {{ 'a-b c_d'|wordcount }})",
       "Hello World Foo-Bar It's It'S A foo... foo ba... 3"},
      {"{{ '  x '|trim }}{{ 'xxaxx'|trim('x') }}{{ 5|trim }}{{ 123|replace(2, 'x') }}{{ "
       "'x'|center(5) }}|{{ 'aBC'|capitalize }}",
       "xa51x3  x  |Abc"},
      {"{% set g = l|map('string') %}{{ g|list }}{{ g|list }}{{ 'T' if l|select('gt', 100) else "
       "'F' }}",
       "['3', '1', '2'][]T"},
      {"{{ [1, 'a']|sort }}", "!'<' not supported between instances of 'str' and 'int'"},
      {"{{ 5|length }}", "!object of type 'int' has no len()"},
      {"{{ l|map('string')|length }}", "!object of type 'generator' has no len()"},
      {"{{ (l|map('string'))|last }}", "!'generator' object is not reversible"},
      {"{{ l|batch }}", "!batch() misses the argument 'linecount'"},
      {"{{ l|join(nope=1) }}", "!join() got an unexpected argument"},
      {"{{ {(1, 2): 3}|tojson }}", "!keys must be str, int, float, bool or None, not tuple"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, ToJson) {
  constexpr Case kCases[] = {
      {R"({{ d|tojson }} {{ u|tojson }} {{ '<"\\\n\x01>'|tojson }} {{ [1, 2.0, true, none, 1e20]|tojson }} {{ {1: 2, none: 3, true: 4}|tojson }})",
       R"({"b": 1, "a": "x", "items": 9} "Größe ñandú 日本語 😀" "<\"\\\n\u0001>" [1, 2.0, true, null, 1e+20] {"1": 4, "null": 3})"},
      {"{{ {'a': [], 'b': {}, 'c': [1, {'d': 2}]}|tojson(indent=4) }}",
       R"({
    "a": [],
    "b": {},
    "c": [
        1,
        {
            "d": 2
        }
    ]
})"},
      {"{{ l|tojson(indent='--') }}",
       R"([
--3,
--1,
--2
])"},
      {"{{ u|tojson(ensure_ascii=true) }} {{ d|tojson(sort_keys=true) }} {{ "
       "d|tojson(separators=(',', ':')) }}",
       R"("Gr\u00f6\u00dfe \u00f1and\u00fa \u65e5\u672c\u8a9e \ud83d\ude00" {"a": "x", "b": 1, "items": 9} {"b":1,"a":"x","items":9})"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Tests) {
  constexpr Case kCases[] = {
      {"{{ x is defined }}{{ none is none }}{{ 5 is integer }}{{ 5.0 is float }}{{ true is integer "
       "}}{{ true is number }}{{ true is boolean }}{{ s is string }}{{ d is mapping }}",
       "FalseTrueTrueTrueFalseTrueTrueTrueTrue"},
      {"{{ l is iterable }}{{ l is sequence }}{{ d is sequence }}{{ 5 is iterable }}{{ s is "
       "sequence }}{{ x is sequence }}{{ l|map('int') is sequence }}{{ d.items() is sequence }}",
       "TrueTrueTrueFalseTrueTrueFalseFalse"},
      {"{{ 4 is even }}{{ 4 is odd }}{{ 9 is divisibleby 3 }}{{ 'a' is in 'abc' }}{{ 1 is eq 1 "
       "}}{{ 1 is lt 2 }}{{ none is sameas none }}{{ 'ab' is lower }}{{ 'AB' is upper }}{{ range "
       "is callable }}",
       "TrueFalseTrueTrueTrueTrueTrueTrueTrueTrue"},
      {"{{ 'upper' is filter }}{{ 'nope' is filter }}{{ 'odd' is test }}{{ true is true }}{{ 1 is "
       "true }}{{ 1 is not none }}{{ namespace() is mapping }}{{ '<'|e is escaped }}",
       "TrueFalseTrueTrueFalseTrueFalseTrue"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Statements) {
  constexpr Case kCases[] = {
      {"{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set a, b = b, a %}{{ a }}{{ b }}", "1221"},
      {"{% set a %}x{{ n }}{% endset %}{{ a|length }}{% set a | upper | replace('X', 'q') %}x{% "
       "endset %}{{ a }}",
       "2q"},
      {"{% filter upper %}abc{{ n }}{% endfilter %}{% filter replace('a', 'b')|upper %}abc{% "
       "endfilter %}",
       "ABC7BBC"},
      {"{% with a=1, b=n %}{{ a }}{{ b }}{% set n = 3 %}{{ n }}{% endwith %}{{ n }}{{ a }}{% with "
       "a=1, b=a %}{{ b }}{% endwith %}",
       "1737"},
      {"{% block q %}{{ n }}{% set n = 1 %}{{ n }}{% endblock %}{{ n }}{% for i in l %}{% block w "
       "%}{{ i }}x{% endblock %}{% endfor %}",
       "717xxx"},
      {"{% generation %}{{ n }}{% set n = 5 %}{{ n }}{% endgeneration %}{{ n }}", "757"},
      {"{% set ns = namespace(a=1) %}{% set ns.a = 5 %}{% for i in l %}{% set ns.c = i %}{% endfor "
       "%}{{ ns.a }}{{ ns.c }}{{ ns['a'] }}{{ ns.q }}",
       "525"},
      {"{% set ns = 5 %}{% set ns.a = 1 %}", "!cannot assign attribute on non-namespace object"},
      {"{% set a, b = [1] %}", "!not enough values to unpack (expected 2, got 1)"},
      {"{% set a, b = 5 %}", "!'int' object is not iterable"},
      {"{% if 0 %}a{% elif n %}b{% else %}c{% endif %}{% do l %}{% print 1 %}{% autoescape false "
       "%}<{% endautoescape %}",
       "b1<"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Loops) {
  constexpr Case kCases[] = {
      {"{% for i in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ "
       "loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.previtem }}{{ "
       "loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }};{% endfor %}",
       "1032TrueFalse311aTrue;2121FalseFalse3132bTrue;3210FalseTrue311aTrue;"},
      {"{% set x = 1 %}{% for i in l %}{% set x = x + i %}{{ x }},{% endfor %}{{ x }}", "4,2,3,1"},
      {"{% for i in [] %}x{% else %}E{% endfor %}{% for i in [1] %}{% break %}{% else %}E{% endfor "
       "%}{% for i in [1, 2] %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% else %}E{% endfor "
       "%}",
       "EE2"},
      {"{% for i in range(10) if i is odd %}{{ i }}{{ loop.index }}/{{ loop.length }} {% endfor %}",
       "11/5 32/5 53/5 74/5 95/5 "},
      {"{% set ns = namespace(stop=false) %}{% for i in l if not ns.stop %}{{ i }}{{ loop.last "
       "}}{% if i == 1 %}{% set ns.stop = true %}{% endif %}{% endfor %}",
       "3False1False2True"},
      {"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for c in 'añ' %}{{ c }}.{% "
       "endfor %}{% for a, (b, c) in [[1, [2, 3]]] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
       "b=1;a=x;items=9;a.ñ.123"},
      {"{% for a in [[1, [2]], [3, []]] recursive %}({{ a if a is number else loop(a) }}{{ "
       "loop.depth }}){% endfor %}",
       "((12)((23)2)1)((32)(2)1)"},
      {"{% for a in [[1, 2], [3]] %}{% set o = loop %}{% for b in a %}{{ o.index }}{{ loop.index "
       "}} {% endfor %}{% endfor %}",
       "11 12 21 "},
      {"{% for a in [1] %}{{ loop([]) }}{% endfor %}",
       "!The loop must have the 'recursive' marker to be called recursively."},
      {"{% for a in 5 %}{% endfor %}", "!'int' object is not iterable"},
      {"{% for a, b in [[1, 2, 3]] %}{% endfor %}", "!too many values to unpack (expected 2)"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Macros) {
  constexpr Case kCases[] = {
      {"{% macro f(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{{ varargs }}{{ kwargs }} {% endmacro %}{{ "
       "f(1) }}{{ f(1, c=5) }}{{ f(1, 2, 3, 4, q=6) }}{{ f() }}{{ f.name }}",
       "121(){} 125(){} 123(4,){'q': 6} 2(){} f"},
      {"{% macro f(a) %}[{{ caller() }}]{% endmacro %}{% call f(1) %}in{{ n }}{% endcall %}{% "
       "macro g() %}{{ caller('x') }}{% endmacro %}{% call(v) g() %}{{ v }}!{% endcall %}",
       "[in7]x!"},
      {"{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}{% "
       "macro g() %}{{ y }}{% endmacro %}{% set y = 3 %}{{ g() }}{% set y = 4 %}{{ g() }}",
       "54321034"},
      {"{% macro f() %}{% set y = 9 %}{{ y }}{% endmacro %}{% set y = 3 %}{{ f() }}{{ y }}{% macro "
       "h(a, b, c) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ h(*[1, 2], **{'c': 3}) }}",
       "93123"},
      {"{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}",
       "!macro 'f' takes not more than 1 argument(s)"},
      {"{% macro f(a) %}{% endmacro %}{{ f(b=2) }}", "!macro 'f' takes no keyword argument 'b'"},
      {"{% macro f(a) %}{{ a.x }}{% endmacro %}{{ f() }}", "!parameter 'a' was not provided"},
      {"{% macro f() %}{{ caller() }}{% endmacro %}{{ f() }}", "!No caller defined"},
      {"{{ s() }}", "!'str' object is not callable"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Functions) {
  constexpr Case kCases[] = {
      {"{{ dict(a=1) }}{{ dict([('a', 1)]) }}{{ dict(d, z=1) }}{{ range(2, 5)|list }}{{ range(9, "
       "0, -3)|list }}{{ strftime_now('%d %b %Y %A %j') }}",
       "{'a': 1}{'a': 1}{'b': 1, 'a': 'x', 'items': 9, 'z': 1}[2, 3, 4][9, 6, 3]01 Jan 2026 "
       "Thursday 001"},
  };
  ExpectAll(kCases);
}

TEST(InterpreterTest, Changes) {
  constexpr Case kCases[] = {
      {"{% do l.append(9) %}{% do l.insert(0, 'i') %}{{ l }}{{ l.pop() }}{{ l.pop(0) }}{% do "
       "l.extend([7, 7]) %}{% do l.remove(7) %}{% do l.reverse() %}{{ l }}{% do l.sort() %}{{ l "
       "}}{{ l.count(7) }}{{ l.index(7) }}{% do l.clear() %}{{ l }}",
       "['i', 3, 1, 2, 9]9i[7, 2, 1, 3][1, 2, 3, 7]13[]"},
      {"{% do d.update({'q': 1}, w=2) %}{{ d.pop('q') }}{{ d.pop('zz', 3) }}{{ d }}{{ "
       "d.setdefault('n', 4) }}{{ d.setdefault('n', 5) }}{% do d.clear() %}{{ d }}",
       "13{'b': 1, 'a': 'x', 'items': 9, 'w': 2}44{}"},
      {"{{ d.pop('zz') }}", "!'zz'"},
      {"{{ [].pop() }}", "!pop index out of range"},
  };
  ExpectAll(kCases, false);
}

// Budgets.

TEST(InterpreterTest, KnowsWhereItFailed) {
  const Rendering rendering = RenderText("ab{{ n }}{{ n + x.y }}cd");
  EXPECT_EQ(rendering.text, "ab7");
  EXPECT_EQ(rendering.begin, 16u);
  EXPECT_EQ(rendering.end, 19u);
  const Rendering broken = RenderText("ab{{ n + }}");
  EXPECT_EQ(broken.outcome, Rendering::kRaised);
  EXPECT_THAT(broken.error, HasSubstr("operand"));
}

TEST(InterpreterTest, SaysWhatItDoesNotKnow) {
  for (const absl::string_view text :
       {"{{ s|urlize }}", "{{ s.encode() }}", "{{ lipsum() }}", "{% debug %}",
        "{{ 9223372036854775807 + 1 }}", "{% autoescape true %}{% endautoescape %}"}) {
    EXPECT_EQ(RenderText(text).outcome, Rendering::kUnknown) << text;
  }
}

// Each of these would take hours, or more memory than there is.
TEST(InterpreterTest, EndsWithinItsBudget) {
  static const std::string kLoop = "{% for i in range(100000) %}";
  const auto start = std::chrono::steady_clock::now();
  const std::string texts[] = {
      kLoop + kLoop + "{% endfor %}{% endfor %}",
      kLoop + "{% set x = s * 100000 %}{% endfor %}",
      kLoop + "{% set x = (s * 10000).split('l') %}{% endfor %}",
      kLoop + "{% set x = (s * 10000).upper() %}{% endfor %}",
      kLoop + "{% set x = range(100000)|sort(reverse=true) %}{% endfor %}",
      kLoop + "{% set x = 1.1e300|round(300) %}{% endfor %}",
      "{% set a = 'a' * 1000000 %}" + kLoop + "{{ a.find(a[1:] ~ 'b') }}{% endfor %}",
      "{% set ns = namespace(a=[1]) %}" + kLoop + "{% set ns.a = ns.a + ns.a %}{% endfor %}",
      "{% set ns = namespace(a='1') %}" + kLoop + "{% set ns.a = ns.a ~ ns.a %}{% endfor %}",
      "{% set ns = namespace(a=1) %}" + kLoop + "{% set ns.a = [ns.a] %}{% endfor %}{{ ns.a }}",
      "{% set ns = namespace(a=1) %}{% for i in range(99) %}{% set ns.a = [ns.a, ns.a] %}"
      "{% endfor %}{{ ns.a == [ns.a, 1] }}{{ ns.a }}",
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      "{% macro f(n) %}{{ f(n + 1) if n < 40 }}{{ f(n + 1) if n < 40 }}{% endmacro %}{{ f(0) }}",
      "{% for a in l recursive %}{{ loop(l) }}{% endfor %}",
      "{{ 'a' * 9000000 }}",
      "{{ 10 ** 1000000000 }}",
      "{{ '%1000000000d' % 5 }}",
      "{{ '{:1000000000}'.format(5) }}",
      "{{ '%.1000000000f' % 5 }}",
      "{{ s.center(1000000000) }}",
      "{{ s|indent(1000000000) }}",
      "{{ l|tojson(indent=1000000000) }}",
      "{{ (s * 100000).replace('', s) }}",
      "{{ l|batch(1000000000, 1)|list }}",
      "{{ l|slice(1000000000)|list }}",
      kLoop + "{% do l.append(l) %}{% endfor %}{{ l }}",
      "{% for i in l %}{% do l.append(1) %}{% endfor %}",
      kLoop + "{% do l.extend(l) %}{% endfor %}",
      kLoop + "{% do l.insert(0, l) %}{% do d.update({i: i}) %}{% endfor %}",
  };
  MachineOptions options;
  options.is_immutable = false;
  for (const std::string& text : texts) {
    EXPECT_EQ(RenderText(text, options).outcome, Rendering::kOverBudget) << text;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 20);  // At most 50 ms each, but not with sanitizers.
}

TEST(MachineTest, FailuresHaveNumbers) {
  const auto failure = [](auto operation) {
    Machine machine({});
    operation(machine);
    return machine.failure();
  };
  const Value a(absl::string_view("ab")), n(int64_t{1000000000});
  const Failure large = failure([&](Machine& m) { m.Binary("*", a, n); });
  EXPECT_EQ(large.kind, Failure::kTooLarge);
  EXPECT_EQ(large.number, 2e9);
  const Failure digits = failure([&](Machine& m) { m.Binary("**", Value(int64_t{10}), n); });
  EXPECT_EQ(digits.kind, Failure::kTooLarge);
  EXPECT_EQ(digits.number, 1e9);
  const Failure filter = failure([&](Machine& m) { m.CallFilter("center", a, {{n}, {}}); });
  EXPECT_EQ(filter.kind, Failure::kTooLarge);
  EXPECT_EQ(filter.number, 1e9);
  const Failure unknown = failure([&](Machine& m) { m.CallMethod("encode", a); });
  EXPECT_EQ(unknown.kind, Failure::kUnknown);
  EXPECT_THAT(unknown.message, HasSubstr("encode"));
}

TEST(MachineTest, AfterAFailureNothingIsDone) {
  Machine machine({});
  EXPECT_TRUE(machine.Raise("first").is_undefined());
  machine.Raise("second");
  EXPECT_EQ(machine.failure().message, "first");
  EXPECT_TRUE(machine.Binary("+", Value(int64_t{1}), Value(int64_t{1})).is_undefined());
  machine.ClearFailure();
  EXPECT_EQ(machine.Binary("+", Value(int64_t{1}), Value(int64_t{1})).integer, 2);
}

TEST(ConversationsTest, ContentsDiffer) {
  EXPECT_GE(FixedConversations().size(), 8u);
  for (const Conversation& each : FixedConversations()) {
    const Json messages = Json::parse(each.messages);
    for (const Json& message : messages) {
      const Json& content = message["content"];
      const bool is_once = std::count_if(messages.begin(), messages.end(), [&](const Json& other) {
                             return other["content"] == content;
                           }) == 1;
      EXPECT_TRUE(is_once || content == "") << each.name;
    }
    EXPECT_TRUE(each.tools.empty() || Json::parse(each.tools).is_array());
  }
}

}  // namespace
}  // namespace gguf::jinja
