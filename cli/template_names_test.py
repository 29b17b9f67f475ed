"""Templates that reach a special attribute in Jinja2 never pass.

Generates templates from a small grammar: ways to assemble a name, to carry it
and to use it.  Renders each with Jinja2, and requires that the profiles safety
and upload reject those that reach the attribute.

    template_names_test.py GGUFCHECK [SEED [COUNT]]

SPDX-License-Identifier: Apache-2.0
"""

import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.utils

NAME = "__init__"
OF_MACRO = "_environment"
RULE = "template-attributes-safe"
KEY = b"tokenizer.chat_template"

reached = False


def note(name):
    global reached
    reached = reached or name in (NAME, OF_MACRO)


class Probe:
    """A value of a message."""

    def __getattribute__(self, name):
        note(name)
        return object.__getattribute__(self, name)


class Environment(jinja2.Environment):
    def getattr(self, obj, attribute):
        found = super().getattr(obj, attribute)
        if not isinstance(found, jinja2.Undefined):
            note(attribute)
        return found

    def getitem(self, obj, argument):
        found = super().getitem(obj, argument)
        if not isinstance(found, jinja2.Undefined):
            note(argument)
        return found


def reaches(text):
    """Renders the template; returns whether it got hold of the attribute."""
    global reached
    reached = False
    environment = Environment(
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    messages = [{"role": "user", "content": "a b", "probe": Probe()}] * 2
    try:
        environment.from_string(text).render(messages=messages, p=Probe())
    except Exception:  # pylint: disable=broad-except
        pass  # What it reached before counts.
    return reached


# Of texts, lists and dicts; the values of namespaces and dicts hide them.
METHODS = ("count", "index", "find", "get", "pop", "copy", "items", "keys",
           "values", "strip", "lower", "split", "startswith")


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.before = ""  # Statements that the expression needs.
        self.around = []  # Pairs of statements around its use.

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def choose(self, *options):
        return self.random.choice(options)

    def underscore(self):
        """An underscore that is not computed without running the template."""
        code = str(jinja2.utils.generate_lorem_ipsum).index("_")
        return self.choose(f"(lipsum|string)[{code}]", "('%c' % 95)",
                           "('%c'|format(95))", "('{:c}'.format(95))")

    def literal(self, text):
        """String literals without underscores."""
        parts = [self.underscore() if part == "_" else f"'{part}'"
                 for part in re.split("(_)", text) if part]
        return f"({' ~ '.join(parts)})" if len(parts) > 1 else parts[0]

    def split(self, text):
        at = self.random.randint(1, len(text) - 1)
        return text[:at], text[at:]

    def text(self, text, depth):
        """An expression with this value."""
        if len(text) < 2 or depth <= 0:
            return self.literal(text)
        return self.choose(*self.MAKERS)(self, text, depth - 1)

    def joined(self, text, depth):
        a, b = (self.text(part, depth) for part in self.split(text))
        return self.choose(
            f"({a} ~ {b})", f"({a} + {b})", f"('%s%s' % ({a}, {b}))",
            f"('%s%s'|format({a}, {b}))", f"'{{}}{{}}'.format({a}, {b})",
            f"([{a}, {b}]|join)", f"''.join([{a}, {b}])",
            f"(({a}, {b})|join(''))", f"(([{a}] + [{b}])|join)")

    def cut(self, text, depth):
        if self.random.random() < 0.3:
            inner = self.text(text[::-1], depth)
            return self.choose(f"({inner})[::-1]", f"({inner}|reverse)")
        a, b = self.choose(("x", "y"), ("xy", ""), ("", "x"))
        inner = self.text(a + text + b, depth)
        end = -len(b) if b else ""
        return f"({inner})[{len(a)}:{end}]"

    def changed(self, text, depth):
        way = self.random.randrange(5)
        if way == 0:
            inner = self.text(text.replace("_", "-"), depth)
            return self.choose(f"({inner}|replace('-', {self.underscore()}))",
                               f"({inner}).replace('-', {self.underscore()})")
        if way == 1:
            inner = self.text(text.upper(), depth)
            return self.choose(f"({inner}|lower)", f"({inner}).lower()")
        if way == 2:
            return f"({self.text('q' + text + 'q', depth)}).strip('q')"
        if way == 3:
            inner = self.text("a," + text, depth)
            return self.choose(f"({inner}).split(',')[1]",
                               f"(({inner}).split(',')|last)",
                               f"({inner}).partition(',')[2]")
        inner = self.text(" " + text, depth)
        return self.choose(f"({inner}|trim)", f"({inner}).strip()")

    def chosen(self, text, depth):
        inner = self.text(text, depth)
        other = self.literal("x")
        method = self.choose(*METHODS)
        return self.choose(
            f"({inner} if messages else {other})",
            f"({other} if not messages else {inner})", f"('' or {inner})",
            f"(messages and {inner})", f"(nothing|default({inner}))",
            f"([{other}, {inner}]|last)", f"[{inner}][0]",
            f"{{'k': {inner}}}['k']", f"{{'k': {inner}}}.k",
            f"dict(k={inner}).k", f"{{'k': {inner}}}.get('k')",
            f"({inner}|string)", f"namespace(a={inner}).a",
            f"{{'{method}': ''.join}}.{method}([{inner}])",
            f"{{'{method}': joiner({inner})}}.{method}()",
            f"([namespace(a={inner})]|groupby('a')|first).grouper",
            f"(dict([({inner}, 1)], attribute=1)|first)")

    def blocks(self, text, depth):
        name = self.fresh("v")
        a, b = self.split(text)
        if self.random.random() < 0.5:
            self.before += (
                f"{{% set {name}|replace('-', {self.underscore()}) %}}"
                f"{text.replace('_', '-')}{{% endset %}}")
        else:
            inner = self.text(b, depth)
            self.before += (f"{{% set {name} %}}{a}{{% print {inner} %}}"
                            "{% endset %}")
        return name

    def targets(self, text, depth):
        inner = self.text(text, depth)
        name = self.fresh("v")
        space = f"{{% set {name} = namespace() %}}"
        form, value = self.choose(
            (f"{{% set ({name}) = [{inner}] %}}", f"{name}[0]"),
            (f"{{% set ({name}) = [] %}}{{% do {name}.append({inner}) %}}",
             f"{name}[0]"),
            (f"{space}{{% set {name}.b, a = {inner}, 1 %}}", f"{name}.b"),
            (f"{space}{{% set {name}.b, {name}.c = {inner}, 1 %}}",
             f"{name}.b"),
            (f"{space}{{% set a, ({name}.b, {name}.c) = 1, ({inner}, 1) %}}",
             f"{name}.b"),
            (f"{space}{{% set {name}.b|string %}}{{{{ {inner} }}}}"
             "{% endset %}", f"{name}.b"),
            (f"{{% set ({name}) %}}{{{{ {inner} }}}}{{% endset %}}", name))
        self.before += form
        return value

    def stored(self, text, depth):
        inner = self.text(text, depth)
        name = self.fresh("v")
        method = self.choose(*METHODS)
        form, value = self.choose(
            (f"{{% set {name} = {inner} %}}", name),
            (f"{{% set {name} %}}{{{{ {inner} }}}}{{% endset %}}", name),
            (f"{{% set {name} = 'x' %}}{{% if messages %}}"
             f"{{% set {name} = {inner} %}}{{% endif %}}", name),
            (f"{{% set a, {name} = 'x', {inner} %}}", name),
            (f"{{% set {name} = namespace(a='x') %}}"
             f"{{% set {name}.a = {inner} %}}", f"{name}.a"),
            (f"{{% set {name} = namespace() %}}{{% for m in messages %}}"
             f"{{% set {name}.b = {inner} %}}{{% endfor %}}", f"{name}['b']"),
            (f"{{% set {name} = [] %}}{{% do {name}.append({inner}) %}}",
             f"{name}[0]"),
            (f"{{% set {name} = {{}} %}}{{% do {name}.update({{'a': {inner}}})"
             " %}", f"{name}.a"),
            (f"{{% set {name} = {{}} %}}{{% do {name}.update(b={inner}) %}}",
             f"({name}.values()|first)"),
            (f"{{% macro {name}() %}}{{{{ {inner} }}}}{{% endmacro %}}",
             self.choose(f"{name}()", f"namespace({method}={name}).{method}()",
                         f"{{'{method}': {name}}}.{method}()")),
            (f"{{% macro {name}(a) %}}{{{{ a }}}}{{% endmacro %}}",
             f"{name}({inner})"))
        self.before += form
        return value

    def grown(self, text, _):
        name = self.fresh("n")
        letters = ", ".join(self.literal(letter) for letter in text)
        self.before += (
            f"{{% set {name} = namespace(a='') %}}"
            f"{{% for c in [{letters}] %}}{{% set {name}.a = {name}.a ~ c %}}"
            "{% endfor %}")
        return f"{name}.a"

    def passed(self, text, depth):
        inner = self.text(text, depth)
        name, macro = self.fresh("a"), self.fresh("m")
        before = self.before
        self.before = ""
        self.around.append(self.choose(
            (f"{before}{{% for {name} in [{inner}] %}}", "{% endfor %}"),
            (f"{before}{{% with {name} = {inner} %}}", "{% endwith %}"),
            (f"{{% macro {macro}({name}) %}}",
             f"{{% endmacro %}}{before}{{{{ {macro}({inner}) }}}}"),
            (f"{{% macro {macro}(b, {name}='x') %}}",
             f"{{% endmacro %}}{before}{{{{ {macro}(1, {name}={inner}) }}}}"),
            (f"{{% macro {macro}({name}) %}}",
             f"{{% endmacro %}}{before}{{% set f = [{macro}] %}}"
             f"{{{{ f[0]({inner}) }}}}"),
            (f"{{% macro {macro}() %}}{before}{{{{ caller({inner}) }}}}"
             f"{{% endmacro %}}{{% call({name}) {macro}() %}}",
             "{% endcall %}"),
            (f"{before}{{% with {name}, b = [{inner}, 1] %}}",
             "{% endwith %}"),
            (f"{before}{{% with ({name}, b) = [{inner}, 1] %}}",
             "{% endwith %}"),
            (f"{{% macro {macro}() %}}{{% set {name} = kwargs.a %}}",
             f"{{% endmacro %}}{before}{{{{ {macro}(a={inner}) }}}}"),
            (f"{{% macro {macro}() %}}{{% set {name} = varargs[0] %}}",
             f"{{% endmacro %}}{before}{{{{ {macro}({inner}) }}}}"),
            (f"{{% macro {macro}() %}}{before}{{{{ kwargs.caller({inner}) }}}}"
             f"{{% endmacro %}}{{% call({name}) {macro}() %}}",
             "{% endcall %}"),
            (f"{{% macro {macro}({name}) %}}",
             f"{{% endmacro %}}{{% macro {macro}2() %}}{before}"
             f"{{{{ caller({inner}) }}}}{{% endmacro %}}"
             f"{{{{ {macro}2(caller={macro}) }}}}"),
            (f"{before}{{% for b, {name} in [(1, {inner})] %}}",
             "{% endfor %}"),
            (f"{before}{{% set {macro} = namespace(a='x') %}}"
             f"{{% for b in messages %}}{{% set {name} = {macro}.a %}}",
             f"{{% set {macro}.a = {inner} %}}{{% endfor %}}")))
        return name

    MAKERS = [joined, cut, changed, chosen, stored, blocks, targets, grown,
              passed]

    def use(self, name, base):
        base = base or self.choose("''", "[]", "{}", "lipsum", "messages", "p",
                           "messages[0]", "messages[0].probe", "cycler",
                           "namespace()", "(messages[0].content)", "range(3)")
        return self.choose(
            f"{base}[{name}]", f"{base}|attr({name})",
            f"[{base}]|map(attribute={name})|list",
            f"[{base}]|map('attr', {name})|list",
            f"[[{base}]]|map('map', 'attr', {name})|map('list')|list",
            f"messages|sort(attribute='content,' ~ {name})",
            f"[{base}]|map(**{{'attribute': {name}}})|list",
            f"[{base}]|map(*['attr', {name}])|list",
            f"[{base}]|selectattr({name})|list",
            f"[{base}]|groupby({name})", f"[{base}]|join('', {name})",
            f"[{base}]|sort(attribute={name})",
            f"[{base}]|unique(attribute={name})|list",
            f"[{base}]|max(attribute={name})",
            f"messages|map(attribute='probe')|map(attribute={name})|list",
            f"('{{0.' ~ {name} ~ '}}').format(p)",
            f"(('{{0.' ~ {name} ~ '}}')|attr('format'))(p)",
            f"('{{0.' + {name} + '}}')['format'](p)")

    def template(self):
        is_of_macro = self.random.random() < 0.05
        name = self.text(OF_MACRO if is_of_macro else NAME,
                         self.random.randint(1, 5))
        if is_of_macro and self.random.random() < 0.3:
            name = f"'{OF_MACRO}'"
        use = self.use(name, "macro" if is_of_macro else "")
        text = f"{self.before}{{{{ {use} }}}}"
        for begin, end in reversed(self.around):
            text = begin + text + end
        if is_of_macro:
            text = "{% macro macro() %}{% endmacro %}" + text
        # Longer than the scan follows.
        padding = "x" * (1 << 17) if self.random.random() < 0.01 else ""
        return text + padding


def write_model(path, template):
    text = template.encode()
    path.write_bytes(
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, len(KEY)) + KEY +
        struct.pack("<IQ", 8, len(text)) + text)


def main():
    ggufcheck = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    templates = [Generator(seed * 1000003 + i).template() for i in range(count)]
    templates = [text for text in templates if reaches(text)]
    print(f"{len(templates)} of {count} templates reach {NAME} or {OF_MACRO}")
    assert len(templates) > count / 2
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(templates):
            write_model(Path(folder) / f"{i}.gguf", text)
        for profile in ("safety", "upload"):
            run = subprocess.run(
                [ggufcheck, "check", "--profile", profile, "--format", "json",
                 folder], stdout=subprocess.PIPE, check=False)
            files = json.loads(run.stdout)["files"]
            assert len(files) == len(templates)
            for file in files:
                if any(f["rule"] == RULE for f in file["findings"]):
                    continue
                missed += 1
                text = templates[int(Path(file["path"]).stem)]
                print(f"{profile}: nothing is found in {text}")
    sys.exit(missed != 0)


main()
