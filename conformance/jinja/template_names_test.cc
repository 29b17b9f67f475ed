// Tests where the names of attributes come from, in all runs.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/analysis.h"
#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long templates.

bool Finds(absl::string_view text, FaultKind kind) {
  const Analysis scan = Analyze(text);
  EXPECT_FALSE(scan.is_too_rich) << text;
  return scan.faults.Find(kind) != nullptr;
}

bool FindsName(absl::string_view text) {
  return Finds(text, FaultKind::kAttributeName) || Finds(text, FaultKind::kAttribute);
}

constexpr absl::string_view kUnsafeNames[] = {
    "{% set fi = 'a' %}{% set \ufb01 = x ~ y %}{{ z[fi] }}",
    "{% set loop = 'a' %}{% for f in [lipsum, 1] %}{{ loop.previtem[m.a] }}{% endfor %}",
    "{% set ns=namespace(x='') %}{% for c in ['_','_','c'] %}{% set ns.x = ns.x ~ c %}{% endfor "
    "%}{{ ''[ns.x] }}",
    "{% set u=(lipsum|string)[18] %}{{ lipsum[u~u~'globals'~u~u] }}",
    "{% for m in messages %}{{ lipsum[m.x][m.y][m.z] }}{% endfor %}",
    "{{ messages[ns.n].x }}",
    "{% set ns = namespace(n=messages[0].content) %}{{ messages[ns.n]['a'] }}",
    "{% macro f(a,b) %}{{ ''[a~b] }}{% endmacro %}{{ f('__cla','ss__') }}",
    "{% macro f(a) %}{{ lipsum[a] }}{% endmacro %}{{ f(messages[0].x) }}",
    "{% macro f(a) %}{{ lipsum[a] }}{% endmacro %}{% call(x) f(a=messages[0].x) %}{% endcall %}",
    "{% set x %}__cla{{ 'ss__' }}{% endset %}{{ ''[x] }}",
    "{% macro f() %}__cla{# #}ss__{% endmacro %}{{ ''[f()] }}",
    "{{ ''['a __class__'.split()[1]] }}",
    "{{ ''['xx__class__xx'.strip('x')] }}",
    "{{ ''['\r\n__class__x'[1:-1]] }}",  // A line end of two bytes is one character.
    "{{ ''['aab__class__'[3 if x else 0:]] }}",
    "{{ ('xx__ssalc__y',)|reverse|join }}{{ ''[('a_ssalc_a',)|join|replace('a','_')|reverse] }}",
    "{% set d = {'a': lipsum} %}{{ d['a'][messages[0].x] }}",
    "{% set d = {'a': lipsum} %}{{ d.a[messages[0].x] }}",
    "{% set l = [] %}{% set _ = l.append(lipsum) %}{{ l[0][messages[0].x] }}",
    "{% set l = [] %}{% set k = l %}{% set _ = k.append(lipsum) %}{% for y in l %}{{ "
    "y[messages[0].x] }}{% endfor %}",
    "{% set l = [] %}{% set f = l.append %}{{ f(lipsum) }}{{ (l|first)[messages[0].x] }}",
    "{% set x = messages[messages[0].a] %}",
    "{% for x in messages[messages[0].a] %}{% endfor %}",
    "{{ messages[messages[0].a].b }}",
    "{{ messages[messages[0].a]['b'] }}",
    "{{ messages[messages[0].a]() }}",
    "{{ messages|map(attribute=messages[0].x)|list }}",
    "{{ messages|map(messages[0].x)|list }}",
    "{{ messages|map('at'~'tr'~x, 'a')|list }}",
    "{{ messages|groupby(x~'y') }}",
    "{{ messages|join(',', x~'y') }}",
    "{{ messages|join(',', attribute=x~'y') }}",
    "{{ messages|sort(attribute=x~'y') }}",
    "{{ messages|map('join', '', x~'y')|list }}",
    "{{ messages|map(**{'attribute': x~'y'})|list }}",
    "{{ messages|map(*['attr', x~'y'])|list }}",
    "{{ (x~'{0.a}').format(1) }}",
    "{{ messages[0].format(1) }}",
    "{{ messages[0]['format'](1) }}",
    "{{ (messages[0]|attr('format'))(1) }}",
    "{% set f = (x~'y').format %}{{ f(1) }}",
    "{% for k in ['a','b'] %}{{ ''[k~'x'] }}{% endfor %}",
    "{% with a = '__cla' %}{{ ''[a~b] }}{% endwith %}",
    "{% set a, b = '__cla', lipsum %}{{ b[messages[0].x] }}",
    "{% set (a, b) = ['__cla', lipsum] %}{{ b[a~'ss__'] }}",
    "{% for a, b in [['__cla', lipsum]] %}{{ b[a~'ss__'] }}{% endfor %}",
    "{% for a in x is divisibleby 2 and 'a' ~ y %}{% endfor %}{% set q = x is defined and y ~ z "
    "%}{{ ''[q] }}",
    "{% macro f() %}{{ kwargs|first }}{{ ''[(kwargs|list)[0] ~ 'x'] }}{% endmacro %}",
    "{% macro f() %}{{ ''[varargs[0]] }}{% endmacro %}{{ f(messages[0].x) }}",
    "{% macro __class__() %}{% endmacro %}",
    "{{ (dict(aa=1)|list)[0][messages[0].x] }}",
    "{{ ''['%c%c'|format(95,95)] }}",
    "{{ ''[messages[0].x] }}",
    "{{ x[('a' if y else '__class') ~ '__'] }}",
    "{{ x[''.join(['a'|upper, y])] }}",
    "{% set ns = namespace(a=lipsum) %}{{ ns['_Namespace__attrs']['a'][messages[0].x] }}",
    "{% if y %}{% set k = 'a' %}{% else %}{{ lipsum[k] }}{% endif %}",
    "{% if y %}{% set k = 'a' %}{% endif %}{{ lipsum[k] }}",
    "{% for k in ['a'] %}{% endfor %}{{ lipsum[k] }}",
    "{% for k in ['a'] %}{% block b %}{{ lipsum[k] }}{% endblock %}{% endfor %}",
    "{% filter attr(x~'y') %}a{% endfilter %}",
    "{% set x = x ~ 'a' %}{{ y[x] }}",
    "{{ (a-b)|first|attr('x') }}{{ ''[(dict(aa=1).keys() - [])|first] }}",
    "{{ caller[messages[0].x].y }}",
    "{{ loop[messages[0].x] }}",
    "{{ cycler('a', y~'b').next() }}{{ x[cycler('a', y~'b').next()] }}",
    "{{ x|attr(['__cla', 'ss__']|join) }}",
    "{% set f = range %}{% set f = dict %}{{ f(a=lipsum).a[messages[0].x] }}",
    "{{ x.y['a'~z] is defined }}",
    // Blocks whose text is not their value.
    "{% set x|replace('-', '_') %}--init--{% endset %}{{ ''[x] }}",
    "{% set x %}__cla{% print 'ss__' %}{% endset %}{{ ''[x] }}",
    // Attributes of objects begin with one underscore.
    "{% macro m() %}{% endmacro %}{{ m['_environment'] }}",
    "{% macro m() %}{% endmacro %}{{ m|attr('_environment') }}",
    "{% macro m() %}{% endmacro %}{% for a in ['_environment'] %}{{ m|attr(a) }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ '{0._environment}'.format(m) }}",
    "{{ self['environment'] }}",
    "{{ x.from_string('a') }}",
    // Targets of all forms.
    "{% set (l) = [] %}{% set _ = l.append(x~y) %}{{ ''[l[0]] }}",
    "{% set ns = namespace() %}{% set ns.b, a = x~y, 1 %}{{ ''[ns.b] }}",
    "{% set ns = namespace() %}{% set ns.b, ns.c = x~y, 1 %}{{ ''[ns.b] }}",
    "{% set ns = namespace() %}{% set ns.y|string %}{{ x~y }}{% endset %}{{ ''[ns.y] }}",
    "{% with a, b = [x~y, 1] %}{{ ''[a] }}{% endwith %}",
    "{% with (a, b) = [x~y, 1] %}{{ messages[a] }}{% endwith %}",
    "{% set (x) %}{{ x~y }}{% endset %}{{ messages[x] }}",
    "{% set a, (b, (c, d)) = 1, (2, (3, [x~y])) %}{{ ''[d[0]] }}",
    // Arguments that reach caller.
    "{% macro o(a) %}{{ ''[a] }}{% endmacro %}{% macro m() %}{{ caller(x~y) }}{% endmacro %}{{ "
    "m(caller=o) }}",
    "{% macro m() %}{{ kwargs.caller(x~y) }}{% endmacro %}{% call(a) m() %}{{ ''[a] }}{% endcall "
    "%}",
    // Functions with the names of methods.
    "{{ ''[{'index': ''.join}.index([x])] }}",
    "{% macro m() %}{{ x }}{% endmacro %}{{ ''[namespace(count=m).count()] }}",
    "{{ ''[{'count': joiner(x~y)}.count()] }}",
    "{{ ''[dict([(x~y, 1)], attribute=1)|first] }}",
    "{{ [['']]|map('map', 'attr', x~y)|list }}",
    "{{ ''[([namespace(a=x~y)]|groupby('a')|first).grouper] }}",
    "{{ messages|sort(attribute='content,_x') }}",
    "{% for q in messages[0][messages[1].role]|list %}{{ q.x }}{% endfor %}",
    // Names of arguments.
    "{% macro m() %}{% for k in kwargs %}{{ m[k] }}{% endfor %}{% endmacro %}{{ m(_environment=1) "
    "}}",
    "{% for k in dict(_environment=1) %}{{ lipsum[k] }}{% endfor %}",
    "{% set d = {} %}{% set _ = d.update(_environment=1) %}{% for k in d %}{{ lipsum[k] }}{% "
    "endfor %}",
    "{{ messages[0]['_x__class__'[2:n]] }}",
    // Values of which nothing is known.
    "{% macro m(a) %}{{ ''[a] }}{% endmacro %}",
    "{{ ((messages[0].x|string)|list)[0:2]|join|attr('x') }}{{ x[messages[0].x|replace('a','b')] "
    "}}",
    "{{ ''|attr(messages[0].x) }}",
    "{% set t = {'a': {'b': 1}} %}{{ t[messages[0].x]() }}",
    "{% set t = {'a': {'b': 1}} %}{{ t[messages[0].x]|attr(messages[0].y)|attr(messages[0].z) }}",
};

constexpr absl::string_view kGrowingLists[] = {
    "{% set l = [1] %}{% for x in l %}{% set _ = l.append(x) %}{% endfor %}",
    "{% set l = [1] %}{% for x in l %}{% if l.append(x) %}{% endif %}{% endfor %}",
    "{% set l = [1] %}{% for x in l if not l.append(x) %}{% endfor %}",
    "{% set l = [1] %}{% set f = l.append %}{% for x in l %}{{ f(x) }}{% endfor %}",
    "{% set l = [1] %}{% for x in l|select %}{{ l['append'](x) }}{% endfor %}",
    "{% set ns = namespace(l=[1]) %}{% for x in ns.l %}{{ ns.l.insert(0, x) }}{% endfor %}",
    "{% set l = [1] %}{% macro m() %}{{ l.append(1) }}{% endmacro %}{% for x in l %}{{ m() }}{% "
    "endfor %}",
    "{% set l = [1] %}{% macro m() %}{% for x in l %}{{ caller() }}{% endfor %}{% endmacro %}{% "
    "call m() %}{{ l.append(1) }}{% endcall %}",
    "{% set l = [1] %}{% macro m(k) %}{% for x in k %}{{ l.append(1) }}{% endfor %}{% endmacro "
    "%}{{ m(l) }}",
    "{% for x in messages %}{{ messages.append(x) }}{% endfor %}",
    "{% set d = {'l': [1]} %}{% for x in d.l %}{{ d['l'].extend([1]) }}{% endfor %}",
    "{% set l = [1] %}{% set k = [l] %}{% for x in l %}{{ k[0].append(1) }}{% endfor %}",
};

constexpr absl::string_view kHeldMacros[] = {
    "{% macro m(f) %}{{ f(f) if x }}{% endmacro %}{{ m(m) }}",
    "{% macro m() %}{{ ns.f() if x }}{% endmacro %}{% set ns = namespace(f=m) %}{{ m() }}",
    "{% set d = {} %}{% macro m() %}{{ d['f']() }}{% endmacro %}{% set _ = d.update({'f': m}) %}{{ "
    "m() }}",
    "{% set l = [] %}{% macro m() %}{{ l[0]() }}{% endmacro %}{% set _ = l.append(m) %}{{ m() }}",
    "{% macro m() %}{% set f = m %}{{ f() if x }}{% endmacro %}",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ c() }}{% endmacro %}{% macro c() %}{{ "
    "ns.f() if x }}{% endmacro %}{% set ns = namespace(f=a) %}{{ a() }}",
    "{% for x in y recursive %}{{ loop(y) }}{% endfor %}",
    "{% for x in y recursive %}{{ loop(x) }}{% endfor %}",
    "{% for x in y recursive %}{{ loop([x]) }}{% endfor %}",
    "{% for x in y recursive %}{{ loop(x[0]) }}{% endfor %}",
    "{% for x in y recursive %}{% set l = loop %}{{ l(x.a) }}{% endfor %}",
    "{% for x in y recursive %}{% set x = y %}{{ loop(x.a) }}{% endfor %}",
    "{% set y = [{}] %}{% set _ = y[0].update({'a': y}) %}{% for x in y recursive %}{{ loop(x.a) "
    "}}{% endfor %}",
    "{% for x in y recursive %}{% set _ = x.update({'a': y}) %}{{ loop(x.a) }}{% endfor %}",
    "{% block a %}{{ self.a() }}{% endblock %}",
    "{% macro m() %}{{ [1].sort(key=m) }}{% endmacro %}",
    "{% macro m() %}{{ caller(caller=caller) }}{% endmacro %}{{ m(caller=m) }}",
};

constexpr absl::string_view kSafe[] = {
    "{{ messages[loop.index0 - 1].role }}{{ messages[0]['content'] }}{{ messages[messages|length - "
    "1].x }}",
    "{% for m in messages[1:] %}{{ m['role'] }}{% endfor %}{% set x = messages[1:] %}{{ x[0].role "
    "}}",
    "{% set ns = namespace(i=0) %}{% for m in messages %}{% set ns.i = ns.i + 1 %}{{ "
    "messages[ns.i].role }}{% endfor %}",
    "{% for k in ['a','b'] %}{{ message[k].x }}{% endfor %}",
    "{{ message[message.role] }}{% if tools[message.name] is defined %}{{ "
    "tools[message.name]|tojson }}{% endif %}",
    "{% set roles = {'user': 'a', 'b': 'c'} %}{{ roles[message.role] }}",
    "{% for x in y recursive %}{{ loop(x.children) }}{% endfor %}",
    "{% for x in y recursive %}{{ loop(x['children'] or []) }}{% endfor %}",
    "{% set parts = [] %}{% for m in messages %}{% set _ = parts.append(m) %}{% endfor %}{% for p "
    "in parts %}{{ p.x }}{% endfor %}",
    "{% macro f() %}{% set parts = [] %}{% for m in messages %}{% set _ = parts.append(m) %}{% "
    "endfor %}{% for p in parts %}{{ p.x }}{% endfor %}{% endmacro %}{{ f() }}",
    "{% set k = 'a' %}{% set j = k ~ 'b' %}{{ message[j].x }}",
    "{{ message[('a','b')|join].x }}",
    "{{ message.content.split('</think>')[-1].strip('\\n') }}",
    "{% macro m(x) %}{{ m(x.y) if x }}{% endmacro %}{{ m(messages) }}",
    "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{% call m() %}x{% endcall %}{% "
    "endcall %}",
    "{% for k, v in params.items() %}{{ k }}{{ v.type }}{{ params[k] }}{% endfor %}",
    "{{ colors[loop.index0 % 2] }}",
    "{% macro a(f) %}{{ f(1) }}{% endmacro %}{% macro b(x) %}{{ x }}{% endmacro %}{{ a(b) }}",
    "{% for x in items if x is not in ['a'] %}{{ x.y }}{% endfor %}",
    "{{ '%s'|format(x) }}{{ '{} {}'.format(a, b) }}",
    "{% for p in props %}{{ p.format }}{% if p.format is string %}{{ p.format ~ 'x' }}{% endif "
    "%}{% endfor %}",
    "{% for cycler in x %}{{ cycler.a }}{% endfor %}",
    "{{ messages[0]['_id'] }}{{ message.environment }}{{ message['os'] }}",
    "{% for k in ['_id', 'b'] %}{{ message[k] }}{% endfor %}",
    "{{ '_{}: {:_}'.format(x, 1) }}",
    "{% set (a) = 'b' %}{{ x[a] }}",
    "{% with a = 'b', c = 'd' %}{{ x[a][c] }}{% endwith %}",
    "{% set a %}b{% endset %}{{ x[a] }}",
    "{% set d = {'a': 'b'} %}{{ x[d.get('a')] }}{% for k, v in d.items() %}{{ x[k][v] }}{% endfor "
    "%}",
    "{% set l = ['a', 'b'] %}{{ l[l.index('a')].x }}",
    "{% for m in messages if not m.hidden recursive %}{{ loop(m.children) }}{% endfor %}",
};

TEST(TemplateNamesTest, UnsafeNames) {
  for (const absl::string_view text : kUnsafeNames) {
    EXPECT_TRUE(FindsName(text)) << text;
  }
}

TEST(TemplateNamesTest, GrowingLists) {
  for (const absl::string_view text : kGrowingLists) {
    EXPECT_TRUE(Finds(text, FaultKind::kLoop)) << text;
  }
}

TEST(TemplateNamesTest, HeldMacrosAndEndlessLoops) {
  for (const absl::string_view text : kHeldMacros) {
    EXPECT_TRUE(Finds(text, FaultKind::kHeldMacro) || Finds(text, FaultKind::kEndlessLoop)) << text;
  }
}

TEST(TemplateNamesTest, Safe) {
  for (const absl::string_view text : kSafe) {
    EXPECT_FALSE(FindsName(text)) << text;
    for (const FaultKind kind :
         {FaultKind::kLoop, FaultKind::kHeldMacro, FaultKind::kEndlessLoop}) {
      EXPECT_FALSE(Finds(text, kind)) << text;
    }
  }
}

// If more scans are needed than there are, any name may be unsafe, and it is
// said that something is not checked.
TEST(TemplateNamesTest, LongChainsOfAssignments) {
  std::string text = "{% for m in messages %}";
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&text, "{% set a", i, " = a", i + 1, " %}");
  }
  text += "{% set a100 = m.x ~ m.y %}{% endfor %}";
  for (const bool is_used : {false, true}) {
    const Analysis scan = Analyze(text + (is_used ? "{{ ''[a0] }}" : "{{ m['a'] ~ a0 }}"));
    EXPECT_TRUE(scan.is_too_rich);
    EXPECT_EQ(scan.faults.Find(FaultKind::kAttributeName) != nullptr, is_used);
  }
  // Also the arguments of macros, and the elements of lists.
  text += "{% macro m() %}{{ ''[kwargs.x] }}{% endmacro %}{{ m(x='a') }}";
  EXPECT_NE(Analyze(text).faults.Find(FaultKind::kAttributeName), nullptr);
}

TEST(TemplateNamesTest, TextsMakeNoDifference) {
  const std::string text(1 << 17, 'x');
  EXPECT_FALSE(FindsName("{% set a = 'x' %}{{ m[a] }}" + text));
  EXPECT_TRUE(
      FindsName("{% macro m() %}{{ lipsum[kwargs.a] }}{% endmacro %}{{ m(a=m.x) }}" + text));
}

TEST(TemplateNamesTest, TheBytesThatAreReadAreLimited) {
  const std::string text = "{% set a = 'x' %}{{ m[a] }}";
  size_t left = 10 * text.size();
  EXPECT_FALSE(Analyze(text, &left).is_too_rich);
  EXPECT_LT(left, 9 * text.size());
  for (left = 0; left < 3 * text.size(); ++left) {
    size_t rest = left;
    const Analysis scan = Analyze(text, &rest);
    EXPECT_LE(rest, left);
    EXPECT_EQ(scan.is_skipped, left < text.size());
    EXPECT_EQ(scan.is_too_rich, !scan.is_skipped && left < 2 * text.size());
  }
}

TEST(TemplateNamesTest, MessageNamesTheExpression) {
  const Analysis scan = Analyze("{{ y }}{{ x[a ~ 'b'] }}");
  const Fault* fault = scan.faults.Find(FaultKind::kAttributeName);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->text, "[a ~ 'b']");
  EXPECT_EQ(fault->begin, 11u);
  EXPECT_EQ(fault->end, 20u);
  EXPECT_EQ(fault->why, "assembles the name of an attribute when it runs");
}

// NOLINTEND(bugprone-suspicious-missing-comma)

}  // namespace
}  // namespace gguf::jinja
