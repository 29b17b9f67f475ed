"""Reads llama.cpp's converters: which keys they write for every model of an architecture.

The sources are parsed, never run.  A key counts as written if each class that converts models of
the architecture writes it on every path through set_gguf_parameters and set_vocab.  A call in an
`if` counts if all its branches make it.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import collections
import glob
import os

# The methods that the converters call for every model.
STEPS = ("set_vocab", "set_gguf_parameters")
# What every text model inherits, and what projectors do.
BASE, PROJECTOR = "TextModel", "MmprojModel"


class Sources:
    """The Python files of a tree of llama.cpp, or of Debian's packages llama.cpp-tools and python3-gguf."""

    def __init__(self, folder):
        self.folder = folder
        self.converters = self._find("conversion/*.py", "usr/share/llama.cpp/llama.cpp-tools/conversion/*.py",
                                     "convert_hf_to_gguf.py", "convert-hf-to-gguf.py")  # fmt: skip
        names = {os.path.basename(path): path for path in self._find("gguf-py/gguf/*.py", "usr/lib/python3/dist-packages/gguf/*.py")}
        if not self.converters or not {"constants.py", "gguf_writer.py"} <= set(names):
            raise FileNotFoundError(f"{folder} has no converters of llama.cpp")
        self.constants, self.writer = names["constants.py"], names["gguf_writer.py"]

    def _find(self, *patterns):
        for pattern in patterns:
            found = sorted(glob.glob(os.path.join(self.folder, pattern)))
            if found:
                return found
        return []


def parse(path):
    with open(path, encoding="utf-8") as text:
        return ast.parse(text.read(), path)


def dotted(node):
    """Returns "a.b.c" for such an expression, and "" for others."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def read_constants(path):
    """Returns the texts of class Keys by their dotted names, and the names of architectures by their members."""
    keys, architectures = {}, {}

    def walk(node, prefix):
        for item in node.body:
            if isinstance(item, ast.ClassDef):
                walk(item, f"{prefix}.{item.name}")
            elif isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, str):
                keys[f"{prefix}.{item.targets[0].id}"] = item.value.value

    for item in parse(path).body:
        if isinstance(item, ast.ClassDef) and item.name == "Keys":
            walk(item, "Keys")
        elif isinstance(item, (ast.Assign, ast.AnnAssign)):
            target = item.targets[0] if isinstance(item, ast.Assign) else item.target
            if dotted(target) == "MODEL_ARCH_NAMES":
                for member, name in zip(item.value.keys, item.value.values):
                    architectures[dotted(member).rsplit(".", 1)[-1]] = name.value
    return keys, architectures


def read_writer(path, keys):
    """Returns the keys that each method of GGUFWriter writes, as patterns of the tables."""
    written = collections.defaultdict(set)
    for item in parse(path).body:
        if not (isinstance(item, ast.ClassDef) and item.name == "GGUFWriter"):
            continue
        for method in item.body:
            if isinstance(method, ast.FunctionDef):
                names = {dotted(node) for node in ast.walk(method)}
                written[method.name] |= {keys[name] for name in names if name in keys}
    return {name: {key for key in found if "{" not in key.replace("{arch}", "")} for name, found in written.items()}


class Flow:
    """What a list of statements writes on every path: the keys, and whether the path ends in it."""

    def __init__(self, always=(), ends=False, fails=False):
        self.always, self.ends, self.fails = set(always), ends, fails

    @staticmethod
    def either(flows):
        """Joins branches of which one runs; one that fails converts no model."""
        flows = [flow for flow in flows if not flow.fails]
        if not flows:
            return Flow(ends=True, fails=True)
        return Flow(set.intersection(*(flow.always for flow in flows)), all(flow.ends for flow in flows))


class Converters:
    """The classes of the converters, and what each writes."""

    def __init__(self, folder):
        sources = Sources(folder)
        keys, self.names = read_constants(sources.constants)
        self.writes = read_writer(sources.writer, keys)
        self.classes, self.registered = {}, set()
        for path in sources.converters:
            for item in parse(path).body:
                if isinstance(item, ast.ClassDef):
                    self.classes[item.name] = item
                    if any(isinstance(mark, ast.Call) and dotted(mark.func).endswith(".register") for mark in item.decorator_list):
                        self.registered.add(item.name)

    def bases(self, name):
        return [base for base in (dotted(node).rsplit(".", 1)[-1] for node in self.classes[name].bases) if base in self.classes]

    def order(self, name):
        """Returns the class and its bases, in the order in which Python looks up a method: C3, as far as converters need it."""
        found = [name]
        for base in self.bases(name):
            found += self.order(base)
        return [one for k, one in enumerate(found) if one not in found[k + 1 :]]

    def architectures(self, name):
        """Returns the architectures of the models that a class converts: what it assigns to model_arch."""
        for one in self.order(name):
            found = set()
            for node in ast.walk(self.classes[one]):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
                if any(dotted(target) in ("model_arch", "self.model_arch") for target in targets) and node.value:
                    found |= {dotted(part).rsplit(".", 1)[-1] for part in ast.walk(node.value) if ".MODEL_ARCH." in f".{dotted(part)}"}
            if found:
                return {self.names[member] for member in found if member in self.names}
        return set()

    def method(self, name, wanted, after=None):
        """Returns the class, in the order of `name`, behind `after`, that has a method, and the method."""
        order = self.order(name)
        for one in order[order.index(after) + 1 if after else 0 :]:
            for item in self.classes[one].body:
                if isinstance(item, ast.FunctionDef) and item.name == wanted:
                    return one, item
        return None, None

    def written_by(self, name, step, after=None, depth=0):
        """Returns what a method of a class writes on every path."""
        owner, method = self.method(name, step, after)
        if method is None or depth > 12:
            return Flow()
        return self.flow(method.body, name, owner, depth)

    def flow(self, statements, name, owner, depth):
        result = Flow()
        for k, item in enumerate(statements):
            if isinstance(item, ast.Return):
                if item.value is not None:
                    result.always |= self.called(item.value, name, owner, depth).always
                return Flow(result.always, ends=True)
            if isinstance(item, ast.Raise):
                return Flow(ends=True, fails=True)
            if isinstance(item, (ast.If, ast.Try)):
                branches = [item.body, item.orelse] if isinstance(item, ast.If) else \
                    [item.body + item.orelse, *(handler.body for handler in item.handlers)]  # fmt: skip
                flows = [self.flow(branch, name, owner, depth) for branch in branches]
                if any(flow.ends for flow in flows):  # Only the others go on.
                    rest = self.flow(statements[k + 1 :], name, owner, depth)
                    flows = [flow if flow.ends else Flow(flow.always | rest.always, rest.ends, rest.fails) for flow in flows]
                    joined = Flow.either(flows)
                    return Flow(result.always | joined.always, joined.ends, joined.fails)
                result.always |= Flow.either(flows).always
                if isinstance(item, ast.Try):
                    result.always |= self.flow(item.finalbody, name, owner, depth).always
            elif isinstance(item, ast.With):
                inner = self.flow(item.body, name, owner, depth)
                result.always |= inner.always
                if inner.ends:
                    return Flow(result.always, inner.ends, inner.fails)
            elif isinstance(item, (ast.Expr, ast.Assign, ast.AnnAssign)) and item.value is not None:
                called = self.called(item.value, name, owner, depth)
                result.always |= called.always
                if called.fails:
                    return called
        return result

    def called(self, node, name, owner, depth):
        """Returns what a call writes: of the writer, of another method, or of a base's."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return Flow()
        target, method = node.func.value, node.func.attr
        if dotted(target) == "self.gguf_writer":
            return Flow(self.writes.get(method, ()))
        if dotted(target) == "self":
            return self.written_by(name, method, depth=depth + 1)
        if isinstance(target, ast.Call) and dotted(target.func) == "super":
            return self.written_by(name, method, after=owner, depth=depth + 1)
        if dotted(target) in self.order(name):  # Such as TextModel.set_gguf_parameters(self).
            order = self.order(name)
            before = order[order.index(dotted(target)) - 1] if order.index(dotted(target)) else None
            return self.written_by(name, method, after=before, depth=depth + 1)
        return Flow()

    def always(self, name):
        """Returns the keys that a class writes for every model."""
        return set().union(*(self.written_by(name, step).always for step in STEPS))

    def usual(self):
        """Returns the keys that every class of an architecture writes for every model and the base does not, by architecture."""
        base = self.always(BASE) if BASE in self.classes else set()
        found = {}
        for name in sorted(self.registered):
            order = self.order(name)
            if PROJECTOR in order:
                continue
            for architecture in self.architectures(name):
                keys = self.always(name) - base
                found[architecture] = found[architecture] & keys if architecture in found else keys
        return {architecture: sorted(keys) for architecture, keys in sorted(found.items()) if keys}

    def mentioned(self, architecture):
        """Returns the keys that some class of an architecture writes on some path: in its methods, or those of its bases."""
        found = set()
        for name in self.registered:
            if PROJECTOR in self.order(name) or architecture not in self.architectures(name):
                continue
            for one in self.order(name):
                for node in ast.walk(self.classes[one]):
                    if isinstance(node, ast.Call) and dotted(node.func).startswith("self.gguf_writer."):
                        found |= self.writes.get(node.func.attr, set())
        return found
