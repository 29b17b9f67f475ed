"""Learns for which architectures the conditions of graphs hold.

  learn_conditions.py [--write] [--random N] [--seed N] TINY_MODELS MODULES MODELS [NAME...]

A row of hparam_rules.tsv with a stage says what a context or a token needs. MODELS is a
folder of smallest models, as the program TINY_MODELS writes them; NAME... are architectures,
by default all. Has llama.cpp run variants of each model whose tensors fit other
hyperparameters. An architecture belongs to a row if the variants that violate it fail at
the row's stage, or earlier, and some of them for no other reason (see members). Prints the
differences from the table, and what no row explains; with --write, changes the rows. It
cannot tell a row that a person wrote from one that it learnt: read the differences.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import glob
import os
import random
import re
import sys
import tempfile

import expressions
from compare_predictions import verdict
from model import of_file
from wasm_loader import WasmLoader

import consistent
import gguf_file as gguf

RULES = os.path.join(expressions.TABLES, "hparam_rules.tsv")
STAGES = ["load", "no-context", "context", "run", "ok"]
MOST_BLOCKS = 16
# The part of the variants that violate a row and fail later, or not at all. Where a context is
# refused, other conditions often make it die instead.
MOST_AGAINST = {"no-context": 0.35, "context": 0.1, "run": 0.1}

# Values that random ones seldom meet, by key: what graphs divide by, compare or loop over.
U32 = {
    "rope.dimension_count": [0, 2, 3, 5, 6, 8, 128],
    "rope.dimension_count_swa": [0, 2, 3, 6, 64],
    "attention.key_length": [0, 2, 3, 5, 6, 8, 2**31 - 1],
    "attention.value_length": [0, 2, 3, 5, 8, 2**31 - 1],
    "attention.key_length_swa": [2, 3, 8],
    "attention.value_length_swa": [2, 3, 8],
    "attention.head_count": [0, 1, 3, 4, 5, 8, 16, "[2 1]", "[1 2]", "[2 0]", "[0 2]", "[4 2]"],
    "attention.head_count_kv": [0, 1, 2, 3, 4, 8, "[1 2]", "[2 1]", "[0 2]", "[2 0]", "[0 1]", "[1 0]", "[0 0]"],
    "embedding_length": [2, 3, 5, 6, 7, 9, 10, 12, 16],
    "feed_forward_length": ["[0 12]", "[12 0]", "[12 6]", 1],
    "block_count": [1, 3, 4, 5, 6],
    "context_length": [1, 2, 3, 4],
    "vocab_size": [0, 1],
    "nextn_predict_layers": [1],
    "pooling_type": [0, 3, 4, 5, 100],
    "embedding_length_out": [4, 9, 16, 2**31 - 1],
    "expert_gating_func": [0, 1, 2, 4, 5],
    "expert_used_count": [1, 3, "[0 2]", "[2 0]", "[1 2]", "[2 1]"],
    "attention.sliding_window": [0, 1, 4, 2**30, 2**31 - 1],
    "attention.sliding_window_pattern": [0, 1, 2, 3, "[0 0]", "[1 1]", "[0 1]", "[1 0]"],
    "full_attention_interval": [1, 2, 3, 64],
    "shortconv.l_cache": [0, 1, 2],
    "token_shift_count": [1, 2, 3, 2**31 - 1],
    "wkv.head_size": [0, 2, 3, 4, 8, 64, 2**31 - 1],
    "ssm.conv_kernel": [0, 1, 2, 6],
    "ssm.inner_size": [0, 1, 3, 6, 17, 2**31 - 1],
    "ssm.state_size": [0, 1, 3, 8],
    "ssm.time_step_rank": [0, 1, 3, 8],
    "ssm.group_count": [0, 1, 3, 4, 8],
    "attention.kv_lora_rank": [1, 2, 6, 9],
    "attention.key_length_mla": [0, 4, 7],
    "attention.value_length_mla": [0, 1, 6],
    "attention.indexer.key_length": [2, 32, 64, 96, 128],
    "attention.indexer.head_count": [1, 3, 4],
    "attention.indexer.types": ["[0 0]", "[1 0]", "[0 1]", "[1 1]"],
    "hyper_connection.count": [1, 3, 4, 5],
    "hyper_connection.sinkhorn_iterations": [0, 1],
    "attention.output_group_count": [0, 3],
    "attention.relative_buckets_count": [1, 3, 4, 6],
    "attention.group_norm_groups": [0, 3],
    "attention.shared_kv_layers": [1, 2],
    "n_deepstack_layers": [1, 2, 10],
    "num_loops": [1, 8, 60],
    "interleave_moe_layer_step": [0, 1],
    "experts_per_group": [1, 3, 4],
}
REALS = ["attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon", "post_norm_epsilon"]
SECTIONS = ["[0 0 0 0]", "[0 0 0 1]", "[2 2 2 2]", "[1 1 0 0]", "[4 0 0 0]", "[8 0 0 0]"]
EQUAL = ("attention.key_length", "attention.value_length")
ALWAYS = {"embedding_length", "block_count", "context_length", "vocab_size"}

Run = collections.namedtuple("Run", "changes stage why violated")


class Row:
    """A row of the table, at its place in the list of lines."""

    def __init__(self, line, cells):
        self.line, self.cells = line, cells
        self.about, self.per_block, self.stage, self.holds = cells[1], cells[2] == "yes", cells[3], cells[4]
        self.names = set(cells[8].split(","))

    def text(self):
        return "\t".join([*self.cells[:8], ",".join(sorted(self.names))])


def read_rows():
    """Returns the lines of the table, and the rows with a stage after loading and a list of names."""
    with open(RULES, encoding="utf-8") as file:
        lines = file.read().split("\n")
    rows = []
    for number, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) == 9 and cells[3] in STAGES[1:] and not re.search(r"[@*]", cells[8]):
            rows.append(Row(number, cells))
    return lines, rows


def keys_read(name):
    """Returns the keys that the loader reads of an architecture, without its name."""
    read = {row[1] for row in expressions.expanded()[name] if row[0] in ("key", "size")}
    return {key.removeprefix("{arch}.") for key in read} | ALWAYS


def directed(name):
    """Yields changes of single keys that the architecture reads."""
    read = keys_read(name)
    for key, values in U32.items():
        if key in read:
            yield from ({key: f"u32 {value}"} for value in values)
            if key not in ALWAYS:
                yield {key: "-"}
    for width in (1, 2, 3, 5, 6, 8, 16) if read.issuperset(EQUAL) else ():
        yield {key: f"u32 {width}" for key in EQUAL}
    yield from ({key: f"f32 {value}"} for key in REALS if key in read for value in ("-1", "nan"))
    yield from ({"rope.dimension_sections": f"i32 {value}"} for value in SECTIONS if "rope.dimension_sections" in read)


def variants(tiny_models, name, model, folder, count, seed):
    """Writes variants; returns their changes by path."""
    changes = [{"{arch}." + key: value for key, value in one.items()} for one in directed(name)]
    numbers = random.Random(f"conditions/{seed}/{name}")
    changes += [consistent.Consistent(model, numbers).changes() for _ in range(count)]
    paths = {os.path.join(folder, f"{i:05}.gguf"): one for i, one in enumerate(changes)}
    consistent.write_variants(tiny_models, [(name, path, one) for path, one in paths.items()])
    return {path: one for path, one in paths.items() if os.path.exists(path)}


def stage_of(one):
    if one.did == "takes":
        return "ok"
    return "no-context" if one.stage == "context" and one.did == "refuses" else one.stage


def violates(env, row):
    if row.about in env.rows and env.rows[row.about]["key"] and not env.set_(row.about):
        return False
    blocks = min(env.blocks, MOST_BLOCKS) if row.per_block else 1
    return any(env.evaluate(row.holds, i) is False for i in range(max(blocks, 1)))


def may_be_about(name, row, read):
    symbol = expressions.symbols(name).get(row.about)
    key = re.sub(r"^\w+\((.*)\)$", r"\1", symbol["key"] or "") if symbol else None
    return key is not None and (not key.startswith("{arch}.") or key.removeprefix("{arch}.") in read)


def members(name, rows, runs):
    """Returns the rows to which the architecture belongs, and the runs that none explains.

    A row that has the architecture keeps it if no run contradicts it; another one gets it if
    it explains runs that no other row does.
    """
    read, fit = keys_read(name), []
    for row in rows:
        ends = collections.Counter(run.stage for run in runs if row in run.violated)
        later = sum(ends[stage] for stage in STAGES[STAGES.index(row.stage) + 1 :])
        if row.stage == "no-context":  # A death instead of a refusal is no evidence.
            later -= ends["context"]
            later = later if ends["context"] <= ends[row.stage] else ends[row.stage]
        if later <= MOST_AGAINST[row.stage] * ends[row.stage] and may_be_about(name, row, read):
            fit.append(row)
    chosen, left = [], [run for run in runs if run.stage != "ok"]
    for row in sorted(fit, key=lambda row: (STAGES.index(row.stage), name not in row.names)):
        explained = [run for run in left if row in run.violated and run.stage == row.stage]
        if explained or name in row.names:
            chosen.append(row)
            left = [run for run in left if run not in explained]
    stages = {row: STAGES.index(row.stage) for row in chosen}
    return chosen, [run for run in left if not any(stages.get(row, 9) <= STAGES.index(run.stage) for row in run.violated)]


def learn(options, runner, name, rows):
    path = os.path.join(options.models, name + ".gguf")
    if verdict(runner.load(path)).did != "takes":
        return None
    with tempfile.TemporaryDirectory(prefix="ggufcheck-conditions-") as folder:
        runs = []
        changed = variants(options.tiny_models, name, gguf.read(path), folder, options.random, options.seed)
        for path, changes in changed.items():
            one = verdict(runner.load(path))
            if stage_of(one) != "load":
                env = expressions.Env(name, of_file(gguf.read(path)))
                runs.append(Run(changes, stage_of(one), one.why(), {row for row in rows if violates(env, row)}))
    return members(name, rows, runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--random", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tiny_models")
    parser.add_argument("modules")
    parser.add_argument("models")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    lines, rows = read_rows()
    runner = WasmLoader(options.modules, "--run")
    names = options.names or sorted(os.path.basename(path)[:-5] for path in glob.glob(options.models + "/*.gguf"))
    for name in names:
        found = learn(options, runner, name, rows)
        if found is None:
            print(f"{name}: llama.cpp does not run its smallest model", flush=True)
            continue
        chosen, left = found
        for row in rows:
            if (name in row.names) != (row in chosen):
                print(f"{name}: {'+' if row in chosen else '-'} {row.stage}: {row.holds}", flush=True)
                (row.names.add if row in chosen else row.names.discard)(name)
        for why, runs in _grouped(left):
            print(f"{name}: {len(runs)} x {runs[0].stage}, no row: {runs[0].changes}: {why}", flush=True)
    runner.close()
    if options.write:
        changed = {row.line: row for row in rows}
        kept = [changed[i].text() if i in changed else line for i, line in enumerate(lines)
                if i not in changed or changed[i].names]  # fmt: skip
        with open(RULES, "w", encoding="utf-8") as out:
            out.write("\n".join(kept))
    return 0


def _grouped(runs):
    groups = collections.defaultdict(list)
    for run in runs:
        groups[re.sub(r"\d+", "#", run.why)].append(run)
    return sorted(groups.items())


if __name__ == "__main__":
    sys.exit(main())
