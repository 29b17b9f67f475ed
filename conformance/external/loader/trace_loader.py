"""For gdb: prints every key and tensor that llama.cpp's loader asks for.

  GGUFCHECK_LIBLLAMA=LIBRARY GGUFCHECK_TRACE=OUTPUT gdb -batch \\
      -x trace_loader.py --args node load_models.mjs MODULES <PATHS

Each line of the output is "key NAME TYPE NEED" or "tensor NAME DIMS NEED",
separated by tabs; NEED is required, optional or "?".  The loader must have
its symbols, which its releases may lose; learn_architecture.py then does with
the loader's messages alone.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import struct
import subprocess

import gdb

LIBRARY = os.environ["GGUFCHECK_LIBLLAMA"]
STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
TYPES = (
    ("string", "str"),
    ("unsigned short", "u16"),
    ("unsigned int", "u32"),
    ("unsigned long", "u64"),
    ("int", "i32"),
    ("float", "f32"),
    ("bool", "bool"),
    ("pooling", "u32"),
)

out = open(os.environ["GGUFCHECK_TRACE"], "w", encoding="utf-8")
asked = {"type": "?", "need": "?"}


def memory(at, size):
    return gdb.selected_inferior().read_memory(at, size).tobytes()


def number(at):
    return struct.unpack("<Q", memory(at, 8))[0]


def register(name):
    return int(gdb.parse_and_eval(f"(unsigned long)${name}"))


def need(name):
    return "required" if register(name) & 1 else "optional"


def write(*words):
    out.write("\t".join(words) + "\n")
    out.flush()


class Breakpoint(gdb.Breakpoint):
    """Calls a function whenever it is reached, and goes on."""

    def __init__(self, place, function):
        super().__init__(place, internal=True)
        self.silent = True
        self._function = function

    def stop(self):
        self._function()
        return False


def type_of(function):
    """Returns the type that a get_... function reads, from its name."""
    name = function.replace(STRING, "string")
    result = name[name.index("(") :].split(",", 1)[1].split("&")[0]
    kind = next((short for long, short in TYPES if long in result), "?")
    if "get_arr_n" in name:
        return "length of an array"
    if "get_arr" in name:
        return f"arr[{kind}]"
    return f"{kind} or arr[{kind}]" if "get_key_or_arr<" in name else kind


def on_get(function):
    """Returns what to do where a get_... function begins."""
    kind = type_of(function)
    has_count = "get_key_or_arr" in function and "unsigned int, bool)" in function
    place = "r8" if has_count else "rcx"

    def note():
        asked.update(type=kind, need="?" if ".isra" in function else need(place))

    return note


def on_find_key():
    text = memory(register("rsi"), 200).split(b"\0")[0].decode("latin-1")
    write("key", text, asked["type"], asked["need"])
    asked.update(type="?", need="?")


def on_tensor():
    name, dims = register("rsi"), register("rdx")
    begin, end = number(dims), number(dims + 8)
    shape = struct.unpack(f"<{(end - begin) // 8}q", memory(begin, end - begin))
    text = memory(number(name), number(name + 8)).decode("latin-1")
    write("tensor", text, str(list(shape)), need("rcx"))


def functions():
    """Returns the addresses and names of the library's functions."""
    names = subprocess.run(["nm", "-C", LIBRARY], capture_output=True, text=True, check=True)
    for line in names.stdout.splitlines():
        entry = re.match(r"([0-9a-f]+) [TtWw] (.*)", line)
        if entry and ".cold" not in entry[2]:
            yield int(entry[1], 16), entry[2]


def base():
    for line in gdb.execute("info proc mappings", to_string=True).splitlines():
        if os.path.basename(LIBRARY) in line:
            return int(line.split()[0], 16)
    raise gdb.GdbError("the library is not loaded")


for setting in ("pagination off", "confirm off", "breakpoint pending on"):
    gdb.execute("set " + setting)
gdb.execute("handle SIGUSR1 nostop noprint")
gdb.execute("catch load libllama", to_string=True)
gdb.execute("run", to_string=True)
gdb.execute("delete")
start = base()
found = 0
for address, function_name in functions():
    if "llama_model_loader::get_" in function_name and function_name.endswith(("bool)", "]")):
        if re.search(r"::get_(key|arr)", function_name):
            Breakpoint(f"*{start + address:#x}", on_get(function_name))
    elif function_name.startswith("llama_model_loader::check_tensor_dims("):
        Breakpoint(f"*{start + address:#x}", on_tensor)
        found += 1
if not found:
    raise gdb.GdbError("the library has no symbols")
Breakpoint("gguf_find_key", on_find_key)
gdb.execute("continue")
