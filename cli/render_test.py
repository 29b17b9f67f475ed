"""Tests ggufcheck render: where templates come from, its outputs and exit codes.

    render_test.py GGUFCHECK

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ggufcheck = str(Path(sys.argv[1]).resolve())
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
failures = 0


def render(*arguments, stdin="", color=False):
    environment = {**os.environ, "NO_COLOR": "1"}
    if color:
        environment = {**os.environ, "FORCE_COLOR": "1"}
        environment.pop("NO_COLOR", None)
    run = subprocess.run(
        [ggufcheck, "render", *arguments], input=stdin.encode(), capture_output=True, env=environment)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def expect(code, out, error, *arguments, **options):
    """Expects an exit code, and parts of both streams; a part that begins with = is all of it."""
    global failures
    got = render(*arguments, **options)
    fits = [g == part[1:] if part.startswith("=") else part in g for g, part in zip(got[1:], (out, error))]
    if got[0] != code or not all(fits):
        failures += 1
        print(f"FAILED: {arguments}: expected {code}, {out!r}, {error!r}; got {got}")


def model(path, templates):
    """Writes a model with tokens and templates."""
    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    u32, i32, text, array = 4, 5, 8, 9
    tokens = ["<s>", "</s>", "a"]
    entries = [
        string("tokenizer.ggml.model") + struct.pack("<I", text) + string("llama"),
        string("tokenizer.ggml.tokens") + struct.pack("<IIQ", array, text, 3) + b"".join(map(string, tokens)),
        string("tokenizer.ggml.token_type") + struct.pack("<IIQ3i", array, i32, 3, 3, 3, 1),
        string("tokenizer.ggml.bos_token_id") + struct.pack("<II", u32, 0),
        string("tokenizer.ggml.eos_token_id") + struct.pack("<II", u32, 1),
    ]
    for name, template in templates.items():
        key = "tokenizer.chat_template" + (f".{name}" if name else "")
        entries.append(string(key) + struct.pack("<I", text) + string(template))
    Path(path).write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))


TEMPLATE = ("{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}\n"
            "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}")
model("model.gguf", {"": TEMPLATE, "tools": "{{ tools | length }} {{ strftime_now('%d %B %Y') }}"})
Path("t.jinja").write_text(TEMPLATE)
Path("chat.json").write_text('[{"role": "user", "content": "Hi \\u001b[2J"}]')
Path("tools.json").write_text('[{"type": "function"}, {}]')

# Where the template comes from.
raw = ("--raw", "--messages", "chat.json")
expect(0, "=<s><user>Hi \x1b[2J</s>\n<assistant>", "=", *raw, "model.gguf")
expect(0, "=<user>Hi \x1b[2J\n<assistant>", "=", *raw, "t.jinja")
expect(0, "=[x]\n\n", "=", "--raw", "--var", "a=[\"[x]\\n\"]", "-", stdin="{{ a[0] }}\n\n")
expect(0, "=2 24 December 2025", "=", *raw, "--template", "tools", "--tools", "tools.json", "--date", "2025-12-24",
       "model.gguf")
expect(0, "=<s><user>Hi \x1b[2J</s>\n", "=", *raw, "--no-generation-prompt", "model.gguf")
expect(0, "=<!><user>Hi \x1b[2J</s>\n<assistant>", "=", *raw, "--var", 'bos_token="<!>"', "model.gguf")

# A Hugging Face folder.
Path("hf").mkdir()
expect(3, "=", "tokenizer_config.json", "hf")
config = {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": None}
Path("hf/tokenizer_config.json").write_text(json.dumps(config))
expect(3, "=", "has no chat template", "hf")
for wrong in ("[", "[]", '{"chat_template": [1, {"name": 2}], "bos_token": [{"content": 1}]}'):
    Path("hf/tokenizer_config.json").write_text(wrong)
    expect(3, "=", "hf", "--template", "rag", "hf")
config["chat_template"] = [{"name": "default", "template": TEMPLATE}, {"name": "rag", "template": "R"}]
Path("hf/tokenizer_config.json").write_text(json.dumps(config))
expect(0, "=<s><user>Hi \x1b[2J</s>\n<assistant>", "=", *raw, "hf")
expect(0, "=R", "=", *raw, "--template", "rag", "hf")
expect(3, "=", "it has the unnamed one, rag", *raw, "--template", "none", "hf")
Path("hf/chat_template.jinja").write_text("own")
expect(0, "=own", "=", *raw, "hf")

# Outputs.
code, out, error = render("model.gguf")
if code != 0 or out.count("=== ") < 8 or "=== one user turn\n<s><user>How many moons" not in out:
    failures += 1
    print("FAILED: the fixed conversations", code, out, error)
expect(0, "Hi \\x1b[2J", "=", "--messages", "chat.json", "model.gguf")
expect(0, "\x1b[1;36m<s>\x1b[0m<user>Hi", "=", "--messages", "chat.json", "model.gguf", color=True)
code, out, error = render("--format", "json", "--messages", "chat.json", "--no-generation-prompt", "model.gguf")
wanted = {"schema": "ggufcheck/renderings/1", "renderings": [
    {"conversation": "chat.json", "generation_prompt": False, "text": "<s><user>Hi \x1b[2J</s>\n", "error": None}]}
if code != 0 or json.loads(out) != wanted:
    failures += 1
    print("FAILED: JSON", code, out, error)

# Differences.
Path("other.jinja").write_text(TEMPLATE.replace("<assistant>", "<answer>"))
config["chat_template"] = TEMPLATE
Path("hf/chat_template.jinja").unlink()
Path("hf/tokenizer_config.json").write_text(json.dumps(config))
expect(0, "=", "=", "--compare", "hf", "model.gguf")
expect(1, " <user>Hi \\x1b[2J\n-<assistant>\n+<answer>\n", "=", "--messages", "chat.json",
       "--compare", "other.jinja", "t.jinja")

# Engines.
center = "\n{{ 'a' | center(3) }}{{ 7 // 2 }}"
expect(1, "=\n a 3", '-: line 2: llama.cpp does not know the filter "center"', *raw, "--engine", "llama.cpp", "-",
       stdin=center)
expect(1, "=\n a 3", "-: line 2: llama.cpp does not know the operator //", *raw, "--engine", "llama.cpp", "-",
       stdin=center)
expect(0, "=\n a 3", "=", *raw, "--engine", "Jinja2", "-", stdin=center)
expect(1, "", 'minja does not know the method "zfill"', "--engine", "minja", "-", stdin="{{ 'a'.zfill(2) }}")
expect(2, "=", "--engine", "--engine", "jinja1", "-", stdin="")

# Failures.
expect(1, "=ab", '-: "chat.json": line 2 raised: no \\x1b[2J', *raw, "-",
       stdin="ab{#\n#}{{ raise_exception('no ' + messages[0].content[3:]) }}")
expect(1, "=", "operand", *raw, "-", stdin="{{ 1 + }}")
expect(3, "=", "line 1 was not rendered: Jinja2 has urlize", *raw, "-", stdin="{{ 'a'|urlize }}")
expect(3, "", "not rendered: makes more than", *raw, "-", stdin="{% for a in range(99999) %}" * 2 + "{% endfor %}" * 2)
expect(3, "=", "none.gguf: ", "none.gguf")
expect(3, "=", "none.json: ", "--messages", "none.json", "t.jinja")
expect(2, "=", "hf/tokenizer_config.json is not a JSON list", "--messages", "hf/tokenizer_config.json", "t.jinja")
expect(2, "=", "is not a JSON list", "--messages", "t.jinja", "t.jinja")
expect(2, "=", "is not NAME=JSON", "--var", "a=b", "t.jinja")
expect(2, "=", "is not NAME=JSON", "--var", "a", "t.jinja")
expect(2, "=", '"2026-13-40" is not a date', "--date", "2026-13-40", "t.jinja")
expect(2, "", "excludes", "--raw", "--format", "json", "t.jinja")
expect(2, "", "FILE is required")

sys.exit(1 if failures else 0)
