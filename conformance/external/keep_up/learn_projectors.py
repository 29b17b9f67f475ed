"""Learns from libmtmd what the files of projector types must say.

  learn_projectors.py TINY_MODELS LLAMA_CPP FOLDER OUT [NAME...] [--new NAME...]

FOLDER has a projector valid-projector-NAME.gguf of each type, as the corpus does; LLAMA_CPP is a folder of loader.py
with a libmtmd.  Writes OUT/NAME.json for each type: its keys, its tensors, and their shapes as expressions.  For a
new type, which FOLDER lacks, OUT/valid-projector-NAME.gguf is written first: a projector of another type that was
changed until it runs.

The smallest projector is varied in three ways.  A key or tensor is removed: llama.cpp refuses the file, dies or does
without.  A tensor that it looks up in vain is added.  A dimension or key is changed, and then all other tensors
until the projector runs again (projector_repair.py): so each point has shapes that fit each other, and fit.py
finds the expressions that give them.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import concurrent.futures
import functools
import glob
import json
import math
import os
import re
import sys
import tempfile

import numpy as np

import expressions
from fit import Sizes
from model import of_file
from projector_loader import ProjectorLoader
from projector_repair import Repairer, block, folded, guesses, with_dim

import gguf_file as gguf

ENCODERS = {"clip.vision": "v", "clip.audio": "a", "clip.gen.audio": "a.gen"}
MOST_POINTS = 400
PREFIX = "valid-projector-"


def prefix_of(model):
    """Returns the prefix of the keys of the projector's encoder."""
    return next(prefix for prefix in ENCODERS if prefix + ".embedding_length" in model.keys)


def type_of(model):
    """Returns the type that a projector states."""
    return next(value for name, (_, value) in model.keys.items() if name.endswith("projector_type"))


class Learner:
    def __init__(self, runner, name, seed, known):
        self.runner, self.name, self.prefix = runner, name, prefix_of(seed)
        self.repairer = Repairer(runner, known)
        self.smallest, self.points = seed, []
        self.first = runner.run([seed])[0]
        # Some small projectors load, and die at the first image, which has a size that does not fit them.
        self.repairer.stage = "run" if self.first.ok else "load"
        self.repairer.repeats = bool(self.first.repeats)
        self.last_unused = False
        self._add_block()

    def _add_block(self):
        """Adds a block if the first one is not used because it is the last."""
        count = self.prefix + ".block_count"
        blocks = self.smallest.value(count)
        out = f"{ENCODERS[self.prefix]}.blk.0.attn_out.weight"
        if blocks != 1 or out not in self.smallest.tensors:
            return
        width = self.smallest.tensors[out][1]
        two = self._with_blocks(self.smallest.with_key(count, "u32", 2), 1, 2)
        other = [one.with_tensors({out: (width, width + 1)}) for one in (self.smallest, two)]
        outcomes = self.runner.run([two, *other])
        if self.fits(outcomes[0]) and self.fits(outcomes[1]) and not self.fits(outcomes[2]):
            self.smallest, self.first, self.last_unused = two, outcomes[0], True

    @property
    def fits(self):
        return self.repairer.fits

    def repair(self, model, locked=(), adds=False):
        return self.repairer.repair(model, locked, adds)

    def learn(self):
        if not self.fits(self.first):
            return {"name": self.name, "loads": False, "message": self.first.message()}
        self._add(self.smallest)
        keys = self._keys()
        tensors = self._tensors()
        self._vary_dims(self.smallest)
        self._vary_groups()
        self._vary_keys(self.smallest)
        for model in self.added.values():
            self._vary_keys(model, self.prefix + ".embedding_length")
        rows = self._shapes(tensors)
        return {"name": self.name, "loads": True, "prefix": self.prefix, "stage": self.repairer.stage, "last_unused": self.last_unused, "keys": keys, "tensors": rows,
                "smallest": {"keys": [[key, *one] for key, one in self.smallest.keys.items()],
                             "tensors": [[key, list(one)] for key, one in self.smallest.tensors.items()],
                             "types": self.smallest.types},
                "points": len(self.points), "runs": self.runner.loads}  # fmt: skip

    def _add(self, model):
        if len(self.points) < MOST_POINTS:
            self.points.append(model)

    # Keys.

    def _keys(self):
        """Returns a row for each key: its type, and what happens without it."""
        found, asked = [], self.first.keys
        without = {name: self.smallest.without(name) for name in asked if name in self.smallest.keys}
        outcomes = dict(zip(without, self.runner.run(list(without.values()))))
        for name, kind in asked.items():
            if name == "general.alignment":
                continue
            row = {"name": name, "type": kind or self._type_of(name) or "arr"}
            if name in outcomes:
                row["without"] = outcomes[name].word()
            found.append(row)
        for row in found:
            if row["type"] == "arr":
                row["type"] = self._elements_of(row["name"])
        return found

    def _type_of(self, name):
        """Returns the type with which the loader reads a key that the smallest projector lacks."""
        outcome = self.runner.run([self.smallest.with_key(name, "u32", 1)])[0]
        return outcome.keys.get(name, "")

    def _elements_of(self, name):
        kinds = ("i32", "f32", "u32", "str")
        have = self.smallest.value(name)
        values = have if isinstance(have, tuple) else (1, 1)
        outcomes = self.runner.run([self.smallest.with_key(name, kind, tuple(values)) for kind in kinds])
        taken = [kind for kind, one in zip(kinds, outcomes) if not re.search(r"has type|not an array|GGML_ASSERT\(type", one.message())]
        return f"arr[{taken[0]}]" if taken else "arr"

    # Tensors.

    def _tensors(self):
        """Returns rows for the tensors that the loader looks up: what happens without each, and which others replace it."""
        asked = [name for name in self.first.tensors]
        patterns = {}
        for name in asked:
            patterns.setdefault(folded(name), []).append(name)
        rows = {pattern: {"name": pattern, "blocks": len(names)} for pattern, names in patterns.items()}
        present = [name for name in asked if name in self.smallest.tensors]
        self.deadly = []
        for name, outcome in zip(present, self.runner.run([self.smallest.without(name) for name in present])):
            rows[folded(name)].setdefault("without", {})[block(name) or 0] = outcome.word()
            if outcome.did == "dies":
                self.deadly.append(name)
        self.added = {}
        for pattern, names in patterns.items():
            if any(name in self.smallest.tensors for name in names):
                continue
            rows[pattern]["optional"] = True
            if self.fits(self.runner.run([self.smallest.with_tensors(dict.fromkeys(names, (7, 5)))])[0]):
                rows[pattern]["unused"] = True
                continue
            model = self._with(names)
            if model is None:
                rows[pattern]["unknown"] = True
                continue
            self.added[pattern] = model
            self._add(model)
            rows[pattern]["replaces"] = self._replaced(model, pattern)
        self.patterns = patterns
        return rows

    def _with(self, names):
        """Returns a projector with these tensors, which the smallest lacks; None if none runs."""
        for dims in guesses(names[0], self.smallest, self.repairer.known):
            model = self.smallest.with_tensors(dict.fromkeys(names, dims))
            if found := self.repair(model):
                return found
        model = self.smallest.with_tensors(dict.fromkeys(names, guesses(names[0], self.smallest, self.repairer.known)[0]))
        return self.repair(model, adds=True)

    def _replaced(self, model, pattern):
        """Returns the tensors without which the smallest projector dies, and this one does not."""
        names = [name for name in self.deadly if folded(name) != pattern and block(name) in (None, 0)]
        outcomes = self.runner.run([model.without(name) for name in names])
        return [folded(name) for name, one in zip(names, outcomes) if self.fits(one)]

    # Points.

    def _vary_dims(self, model):
        """Adds points at which a dimension of a tensor is another one."""
        last = max([block(name) or 0 for name in model.tensors])
        for name in model.tensors:
            if block(name) not in (None, 0, last):
                continue
            for at, size in enumerate(model.tensors[name]):
                for new in (size * 3 // 2 if size > 2 else 2 * size, 2 * size):
                    changed = with_dim(model, name, at, new)
                    found = changed and self.repair(changed, {(name, at)})
                    if found:
                        self._add(found)
                        break

    def _vary_groups(self):
        """Adds points at which the tensors behind the encoder's blocks, or some of them, have another width."""
        width = self.smallest.value(self.prefix + ".embedding_length")
        groups = {}
        for name in self.smallest.tensors:
            parts = name.split(".")
            for end in range(1, len(parts)):
                group = ".".join(parts[:end])
                if group not in ("v", "a") and ".blk" not in group.replace("local_blk", ""):
                    groups.setdefault(group, []).append(name)
        for names in dict.fromkeys(map(tuple, groups.values())):
            tensors = {name: tuple(one * 3 // 2 if one == width else one for one in self.smallest.tensors[name]) for name in names}
            outputs = {(name, len(dims) - 1) for name, dims in tensors.items() if dims[-1] != self.smallest.tensors[name][-1]}
            for locked in (outputs, {one for one in outputs if one[1]}, ()):
                if found := self.repair(self.smallest.with_tensors(tensors), locked):
                    self._add(found)
                    break

    def _vary_keys(self, start, only=None):
        for name, (kind, value) in list(start.keys.items()):
            if kind not in ("u32", "i32") or isinstance(value, tuple) or not value or not name.startswith("clip.") or (only and name != only):
                continue
            new = [one for one in (2 * value, value + 1, value * 3 // 2, value // 2)
                   if one != value and not (name.endswith("block_count") and one > 4)]  # fmt: skip
            plain = [self._with_key(start, name, kind, value, one) for one in new]
            ran = [one for one, outcome in zip(plain, self.runner.run(plain)) if self.fits(outcome)]
            for one in ran:
                self._add(one)
            for one, size in zip(plain, new):
                if len(ran) >= 2 - bool(only):
                    break
                for model in (self._scaled(one, value, size, False), self._scaled(one, value, size, True), *([] if only else [one])):
                    if found := self.repair(model):
                        ran.append(found)
                        self._add(found)
                        break

    def _with_key(self, model, name, kind, old, new):
        model = model.with_key(name, kind, new)
        return self._with_blocks(model, old, new) if name.endswith(prefix_of(model) + ".block_count") else model

    def _scaled(self, model, old, new, multiples):
        """Returns the model with dimensions that are `old`, or multiples of it, in proportion to `new`."""
        tensors = {}
        for name, dims in model.tensors.items():
            tensors[name] = tuple(one // old * new if one == old or (multiples and one % old == 0) else one for one in dims)
        return model.with_tensors(tensors)

    def _with_blocks(self, model, old, new):
        tensors = {}
        for name, dims in model.tensors.items():
            tensors[name] = dims
            if name.startswith(ENCODERS[self.prefix] + ".blk.0."):
                tensors.update({re.sub(r"\.0\.", f".{i}.", name, count=1): dims for i in range(old, new)})
        stack = ENCODERS[self.prefix] + ".blk."
        return type(model)(model.keys, {n: d for n, d in tensors.items() if not n.startswith(stack) or block(n) < new}, model.types)

    # Shapes.

    def _shapes(self, rows):
        envs = [expressions.Env(self.prefix, point) for point in self.points]
        free = []  # Dimensions that nothing determines, for those that follow.
        done = []
        for pattern, row in rows.items():
            wanted, where = [], []
            for o, point in enumerate(self.points):
                blocks = point.value(self.prefix + ".block_count", 1) - self.last_unused
                for name, dims in point.tensors.items():
                    i = block(name) or 0
                    if folded(name) == pattern and not (".blk.%d." in pattern and i >= blocks):
                        wanted.append(dims)
                        where.append((o, i))
            row["shape"] = None
            if wanted:
                rank = max(len(one) for one in wanted)
                dims = [np.array([one[at] if at < len(one) else 1 for one in wanted]) for at in range(rank)]
                is_needed = any(word != "ok" for word in row.get("without", {}).values())
                row["shape"] = self._solve(pattern, dims, where, envs, free, is_needed)
                row["seen"] = len(wanted)
            done.append(row)
        return done

    @functools.cache
    def _values(self, symbol):
        values = [env.evaluate(symbol) for env in self.envs]
        return [one if isinstance(one, int) else None for one in values]

    def _symbols(self, envs):
        """Returns the values of the symbols whose keys projectors have, at each point."""
        self.envs = envs
        keys = {name for point in self.points for name in point.keys}
        names = [symbol for symbol, row in envs[0].rows.items() if row["type"] in ("int", "int[i]")
                 and row["key"].replace("{arch}", self.prefix) in keys and symbol not in IGNORED_SYMBOLS]  # fmt: skip
        return {symbol: self._values(symbol) for symbol in [*names, *EXTRA_SYMBOLS]}

    def _solve(self, pattern, dims, where, envs, free, is_needed):
        """Returns an expression for each dimension; "any" for one that nothing determines, to which those of later
        tensors may refer if each projector has the tensor."""
        features = {symbol: np.array([values[o] for o, _ in where]) for symbol, values in self._symbols(envs).items()
                    if all(values[o] is not None for o, _ in where)}  # fmt: skip
        for name, at in free:
            if "%d" in name and "%d" not in pattern:
                continue
            text = f'ne("{name}", {at})'
            values = [envs[o].evaluate(text, i) for o, i in where]
            if all(one is not None for one in values):
                features[text] = np.array(values)
        found = []
        for at, wanted in enumerate(dims):
            # The number of mel bins is the length of an input; elsewhere, it is the same by chance.
            is_input = ".blk." not in pattern and not pattern.startswith("mm.") and not (len(dims) == 2 and at == 1)
            left_out = [] if is_input else [MEL_BINS]
            text = _solve(features, wanted, left_out)
            if text and any(name in text and name != text for name in ALONE):
                text = _solve(features, wanted, [*left_out, *ALONE])
            if at == 1 and (text is None or text.isdigit()):
                text = self._positions(pattern) or text
            if text is None:
                text = "any"
                if is_needed:
                    free.append((pattern, at))
            found.append(text)
        return found

    def _positions(self, name):
        """Returns the number of rows of a table of positions, which must be exactly this; None for another tensor.  Sizes
        of images that are varied change more than this table, so the points do not tell."""
        if not name.endswith("position_embd.weight") or name not in self.smallest.tensors:
            return None
        rows = self.smallest.tensors[name][1]
        others = (rows - 1, rows + 1, (math.isqrt(rows) + 1) ** 2)  # Some types take squares.
        if any(self.fits(one) for one in self.runner.run([with_dim(self.smallest, name, 1, other) for other in others])):
            return None
        env = expressions.Env(self.prefix, self.smallest)
        return next((text for text in ("clip_n_patches", "clip_n_class + clip_n_patches") if env.evaluate(text) == rows), None)


EXTRA_SYMBOLS = ("n_embd_head_enc", "clip_n_patches", "clip_n_class")
IGNORED_SYMBOLS = ("n_layer_all", "n_layer")
MEL_BINS = "clip_mel_bins"
ALONE = (MEL_BINS, "dflash_conv_kernel")  # No dimension is computed from these and others.


def _solve(features, wanted, left_out):
    """Returns the expression of these features, without some, that has the wanted values; None if there is none."""
    return Sizes({name: one for name, one in features.items() if name not in left_out}).solve(wanted, quick=True)


def known_shapes(models):
    found = {}
    for model in models:
        for name, dims in model.tensors.items():
            shapes = found.setdefault(folded(name), [])
            if dims not in shapes:
                shapes.append(dims)
    return found


def new_seed(runner, repairer, seeds, name):
    """Returns a projector of a type that none of the seeds has; None if none could be changed until it runs."""
    for seed in seeds.values():
        key = next(key for key in seed.keys if key.endswith("projector_type"))
        if found := repairer.repair(seed.with_key(key, "str", name)):
            asked = runner.run([found])[0].tensors
            return type(found)(found.keys, {one: dims for one, dims in found.tensors.items() if one in asked}, found.types)
    return None


def learn(options, seeds, known, names):
    with tempfile.TemporaryDirectory(prefix="ggufcheck-projectors-") as folder:
        runner = ProjectorLoader(options.llama_cpp, options.tiny_models, folder, "--load-only")
        for name in names:
            seed = seeds.get(name) or new_seed(runner, Repairer(runner, known), seeds, name)
            if seed is None:
                print(f"? {name}: no small projector of this type runs with this loader", flush=True)
                continue
            if name in options.new:
                with open(os.path.join(options.out, f"{PREFIX}{name.replace('.', '_')}.gguf"), "wb") as file:
                    file.write(seed.build())
            document = Learner(runner, name, seed, known).learn()
            with open(os.path.join(options.out, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1)
            print(name, document.get("points"), runner.loads, file=sys.stderr, flush=True)
        runner.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tiny_models")
    parser.add_argument("llama_cpp")
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--new", nargs="*", default=[])
    options = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(options.folder, PREFIX + "*.gguf")))
    models = [(path, of_file(gguf.read(path))) for path in paths]
    seeds = {type_of(model): model for path, model in models if path.endswith(f"{PREFIX}{type_of(model).replace('.', '_')}.gguf")}
    names = [*(options.names or seeds), *options.new]
    os.makedirs(options.out, exist_ok=True)
    known = known_shapes(seeds.values())
    jobs = os.cpu_count()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for one in [pool.submit(learn, options, seeds, known, names[job::jobs]) for job in range(jobs)]:
            one.result()


if __name__ == "__main__":
    main()
