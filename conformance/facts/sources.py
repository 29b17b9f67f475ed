"""What a source tree of llama.cpp knows: names, numbers and types.

Reads C++ with regular expressions: llama.cpp keeps these facts in tables and
switches of a fixed form.  A form that is not recognized yields no names, and
facts.py reports all of ours as gone.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
from collections import namedtuple

# Files that name the facts, the newest place first: code has moved over time.
ARCH = ("src/llama-arch.cpp", "src/llama.cpp", "llama.cpp")
LOADER = ("src/llama-model.cpp", "src/llama.cpp", "llama.cpp")
VOCAB = ("src/llama-vocab.cpp", "src/llama.cpp", "llama.cpp")
TYPES = ("ggml/include/ggml.h", "ggml.h")
FILE_TYPES = ("include/llama.h", "llama.h")
PROJECTORS = ("tools/mtmd/clip-impl.h", "tools/llava/clip-impl.h",
              "examples/llava/clip-impl.h", "examples/llava/clip.cpp")

# A kind of name, and the function that finds the names in the texts of `files`
# (one text for each group of places).
Kind = namedtuple("Kind", "name files find")


class Folder:
    """The files of a checkout."""

    def __init__(self, path):
        self.path = path

    def read(self, name):
        try:
            with open(os.path.join(self.path, name), encoding="utf-8",
                      errors="replace") as file:
                return file.read()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return ""

    def all(self, names):
        """Returns these files in one text; those that do not exist are empty."""
        return "\n".join(map(self.read, names))

    def sources(self):
        """Returns {name: text} of the files of the loader."""
        names = ["llama.cpp"]
        for room in ("src", "src/models"):
            room_path = os.path.join(self.path, room)
            if os.path.isdir(room_path):
                names += sorted(f"{room}/{name}" for name in
                                os.listdir(room_path) if name.endswith(".cpp"))
        return {name: text for name, text in
                zip(names, map(self.read, names)) if text}


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def table(text, name):
    """Returns the text of the initializer of a map of this name."""
    found = re.search(name + r"\s*=\s*\{(.*?)\n\s*\};", text, re.S)
    return found.group(1) if found else ""


def pairs(text, prefix):
    """Returns {enumerator: text} of rows such as { LLM_ARCH_LLAMA, "llama" }."""
    row = r'\{\s*(%s\w+)\s*,\s*"([^"]*)"\s*,?\s*\}' % prefix
    return dict(re.findall(row, text))


def body(text, functions):
    """Returns the definition of the first function whose name matches."""
    found = re.search(
        r"^\w[^\n;{}]*\b(?:%s)\((?:[^;{}]*)\{.*?^\}" % functions, text,
        re.S | re.M)
    return found.group(0) if found else ""


def architectures(arch, loader):
    """Returns the architectures that a loader can load.

    Knowing a name is not enough: the function that loads the tensors, or that
    creates the model, has a case for it.
    """
    names = pairs(table(arch, "LLM_ARCH_NAMES"), "LLM_ARCH_")
    if not names:  # Before the table, it could only be llama.
        return {"llama"} if "gguf_init_from_file" in loader else set()
    creates = body(loader, r"llama_model_mapping|llama_model::load_tensors|"
                           r"llm_load_tensors|llama_model_load_internal")
    cases = set(re.findall(r"case\s+(LLM_ARCH_\w+)\s*:", creates))
    # Projectors and other encoders have another loader.
    return {name for enum, name in names.items()
            if enum in cases and enum != "LLM_ARCH_CLIP"}


def architecture_names(arch):
    """Returns the names that llama.cpp knows, whether it loads them or not."""
    return set(pairs(table(arch, "LLM_ARCH_NAMES"), "LLM_ARCH_").values()) - {
        "(unknown)"}


def pre_tokenizers(vocab):
    return set(re.findall(r'tokenizer_pre\s*==\s*"([^"]+)"', vocab))


def projectors(clip):
    names = pairs(table(clip, "PROJECTOR_TYPE_NAMES"), "PROJECTOR_TYPE_")
    return set(names.values())


def numbered(text, prefix):
    """Returns "12 Q4_K" of lines such as GGML_TYPE_Q4_K = 12."""
    rows = re.findall(r"^\s*%s(\w+)\s*=\s*(\d+)" % prefix,
                      without_comments(text), re.M)
    return {f"{number} {name}" for name, number in rows
            if name not in ("COUNT", "GUESSED")}


def tensor_types(header):
    return numbered(header, "GGML_TYPE_")


def file_types(header):
    return numbered(header, "LLAMA_FTYPE_(?:ALL_|MOSTLY_)")


KINDS = (
    Kind("architecture", (ARCH, LOADER), architectures),
    Kind("tensor type", (TYPES,), tensor_types),
    Kind("pre-tokenizer", (VOCAB,), pre_tokenizers),
    Kind("projector type", (PROJECTORS,), projectors),
    Kind("file type", (FILE_TYPES,), file_types),
)


def tensors(tree):
    """Returns {name: the files that request it}."""
    row = r'\{\s*(LLM_TENSOR_\w+)\s*,\s*"([^"]+)"\s*,?\s*\}'
    names = {}
    for enum, name in re.findall(row, tree.all(ARCH)):
        names.setdefault(enum, set()).add(name)
    call = r'\btn\(\s*(LLM_TENSOR_\w+)\s*(?:,\s*"(\w+)")?'
    found = {}
    for file, text in tree.sources().items():
        for enum, suffix in set(re.findall(call, text)):
            for name in names.get(enum, ()):
                full = f"{name}.{suffix}" if suffix else name
                found.setdefault(full, set()).add(file)
    return found


# C++ types of the variables that a value is read into, and the types in a file
# that llama.cpp then accepts.
VALUE_TYPES = {"uint32_t": "u32", "int32_t": "i32", "float": "f32",
               "bool": "bool", "std::string": "str", "uint16_t": "u16",
               "uint64_t": "u64", "int": "i32"}
READ_CLIP = {"get_u32": "u32", "get_i32": "i32", "get_f32": "f32",
             "get_bool": "bool", "get_string": "str", "get_arr_int": "arr[i32]",
             "get_arr_f32": "arr[f32]"}


def variables(text):
    """Returns {name: value type} of declarations that are not ambiguous."""
    types = {}
    row = (r"\b(?:std::(?:array|vector)<\s*)?(uint32_t|int32_t|uint16_t|"
           r"uint64_t|float|bool|std::string|int|(?:enum\s+)?llama_\w+_type)\b"
           r"[^;(){}\n]*?\b(\w+)\s*(?:=[^;\n]*|\{[^;\n]*\})?;")
    for cpp, name in re.findall(row, text):
        types.setdefault(name, set()).add(VALUE_TYPES.get(cpp, "u32"))
    return {name: next(iter(found)) for name, found in types.items()
            if len(found) == 1}


def keys(tree):
    """Returns {key: types} of the keys that the loaders of models and
    projectors read; types is empty if the source does not tell them."""
    names = pairs(table(tree.all(ARCH), "LLM_KV_NAMES"), "LLM_KV_")
    hparams = variables(without_comments(
        tree.all(("src/llama-hparams.h", "src/llama.cpp", "llama.cpp"))))
    found = {}
    for text in tree.sources().values():
        text = without_comments(text)
        local = variables(text)
        for enum in re.findall(r"\b(LLM_KV_\w+)\b", re.sub(
                r"\{\s*LLM_KV_\w+\s*,\s*\"[^\n]*", "", text)):
            if enum in names:
                found.setdefault(names[enum].replace("%s", "{arch}"), set())
        call = (r"\bget_(key_or_arr|key|arr)\(\s*(LLM_KV_\w+)\s*,\s*"
                r"((?:hparams|this|params)?[.\w>-]*)")
        for how, enum, target in re.findall(call, text):
            name = target.replace("->", ".").split(".")[-1]
            is_member = "." in target
            kind = (hparams if is_member else local).get(name)
            if enum not in names or kind is None:
                continue
            types = found.setdefault(names[enum].replace("%s", "{arch}"), set())
            types.update({"key": [kind], "arr": [f"arr[{kind}]"],
                          "key_or_arr": [kind, f"arr[{kind}]"]}[how])
    found.update(projector_keys(tree))
    return found


def projector_keys(tree):
    header = tree.all(PROJECTORS)
    text = "\n".join(tree.read(folder + "clip.cpp") for folder in
                     ("tools/mtmd/", "tools/llava/", "examples/llava/"))
    names = dict(re.findall(r'#define\s+(KEY_\w+)\s+"([^"]+)"', header))
    names = {enum: name for enum, name in names.items()
             if name.startswith("clip.")}
    found = {}
    uses = without_comments(re.sub(r"#define[^\n]*", "", text))
    for enum in re.findall(r"\bKEY_\w+", uses):
        for key in towers(names.get(enum)):
            found.setdefault(key, set())
    call = r"\b(get_\w+)\(\s*(?:string_format\(\s*)?(KEY_\w+)"
    for how, enum in re.findall(call, uses):
        for key in towers(names.get(enum)):
            if how in READ_CLIP:
                found[key].add(READ_CLIP[how])
    return found


def towers(name):
    if name is None:
        return []
    return [name.replace("%s", tower)
            for tower in ("vision", "audio", "gen.audio")
            if "%s" in name or tower == "vision"]
