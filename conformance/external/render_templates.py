"""Compares ggufcheck render with Jinja2, configured as transformers does, and @huggingface/jinja.

    render_templates.py GGUFCHECK [--node MODULES] FOLDER_OR_FILE...

Takes .jinja files, and the templates in .js files of tests.  Renders each for the fixed
conversations, with and without the generation prompt.  Exits with 1 if ggufcheck and Jinja2
differ; differences to @huggingface/jinja, which is in the folder MODULES, are only counted.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import collections
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.sandbox

DATE = "2026-01-01"
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
STRING = r""" "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | `(?:\\.|[^`\\])*` """


class Generation(jinja2.ext.Extension):
    """The tag generation of transformers, which only notes what is inside it."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_call")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _call(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def make_environment():
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = datetime.datetime.fromisoformat(DATE).strftime
    return environment


def render_jinja2(environment, template, variables):
    """Returns the text and the error, one of which is None."""
    try:
        return environment.from_string(template).render(**variables), None
    except Exception as error:  # pylint: disable=broad-except
        return None, f"{type(error).__name__}: {error}"


def run_ggufcheck(program, template, *flags):
    """Returns (conversation, text, error) for each conversation."""
    command = [program, "render", "--format", "json", "--date", DATE, *flags, "-"]
    for name, value in TOKENS.items():
        command[2:2] = ["--var", f"{name}={json.dumps(value)}"]
    run = subprocess.run(command, input=template.encode(), capture_output=True, check=False)
    renderings = json.loads(run.stdout)["renderings"]
    return [(each["conversation"], None if each["error"] else each["text"], each["error"]) for each in renderings]


def collect(paths):
    """Yields names and texts of templates."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix == ".jinja":
                yield str(file), file.read_bytes().decode()
            elif file.suffix == ".js":
                found = re.finditer(rf"chat_template:\s*({STRING})", file.read_text(), re.S | re.X)
                for i, match in enumerate(found):
                    body = match[1][1:-1].replace('"', r"\"").replace(r"\\" + '"', r"\"")
                    quoted = match[1] if match[1][0] != "`" else f'"""{body}"""'
                    yield f"{file}: template {i + 1}", ast.literal_eval(quoted)


def cause(ours, theirs):
    """Returns what kind of difference this is."""
    if ours[0] is not None and theirs[0] is not None:
        return "other text"
    return f"ggufcheck: {ours[1] or 'rendered'}; it: {(theirs[1] or 'rendered')[:80]}"


def main(program, modules, paths):
    environment = make_environment()
    dump = '{{ {"messages": messages, "tools": tools} | tojson }}'
    chats = {name: json.loads(text) for name, text, _ in run_ggufcheck(program, dump)}
    templates = list(collect(paths))
    if not templates:
        sys.exit("there are no templates")
    results = []  # Template, conversation, variables, ours, Jinja2's.
    for name, template in templates:
        for prompt in (True, False):
            flags = [] if prompt else ["--no-generation-prompt"]
            for chat, *ours in run_ggufcheck(program, template, *flags):
                variables = {**chats[chat], "documents": None, "add_generation_prompt": prompt, **TOKENS}
                theirs = render_jinja2(environment, template, json.loads(json.dumps(variables)))
                results.append((name, template, f"{chat}, prompt: {prompt}", variables, tuple(ours), theirs))
    wrong = [each for each in results if each[4][0] != each[5][0]]
    for name, _, chat, _, ours, theirs in wrong:
        print(f"{name}: {chat}: {cause(ours, theirs)}")
    raised = sum(each[4][0] is None for each in results)
    print(f"{len(templates)} templates, {len(results)} renderings, {raised} raise; "
          f"{len(wrong)} differ from Jinja2 {jinja2.__version__}")
    if modules:
        lines = "".join(json.dumps([template, variables]) + "\n" for _, template, _, variables, _, _ in results)
        script = Path(__file__).with_name("render_jinja.mjs")
        run = subprocess.run(["node", script, modules, DATE], input=lines.encode(), stdout=subprocess.PIPE, check=True)
        causes = collections.Counter()
        for each, line in zip(results, run.stdout.decode().splitlines(), strict=True):
            theirs = json.loads(line)
            if theirs[0] != each[4][0]:
                causes[cause(each[4], theirs)] += 1
        print(f"{sum(causes.values())} differ from @huggingface/jinja")
        for what, count in causes.most_common():
            print(f"  {count:4}  {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    node_modules = None
    if arguments[1:2] == ["--node"]:
        node_modules = arguments[2]
        del arguments[1:3]
    sys.exit(main(arguments[0], node_modules, [Path(each) for each in arguments[1:]]))
