"""Writes what learn_projectors.py learnt as files of conformance/tables/projectors.

  write_projectors.py TABLES DOCUMENTS

A file names each group of projectors/groups all of whose rows it has, the group with the most rows first; its own
rows follow in the order in which the loader looks them up.  Keys that standard_keys.tsv lacks are added there.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import glob
import json
import os
import re

HEADER = "what\tname\tvalue\trequired\twhen"
FUSED = re.compile(r"\.attn_qkv\.(weight|bias)$")
# Optional tensors whose shapes are those of what they are added to or multiplied with.
USUAL = re.compile(r"(bias|_ln\.weight|ln\d\.weight|ls\d\.weight|norm\.weight|attn_\w+\.weight|ffn_\w+\.weight|class_embd|patch_embd\.weight)$")


def shape_of(row, ranks):
    """Returns the cell of a tensor's shape; a large dimension that was never another number is not checked.

    `ranks` are those of all tensors: a bias is as long as its weight has rows, as a gate has as many as what it gates.
    """
    dims, name = row.get("shape"), row["name"]
    if not dims or (row.get("optional") and not USUAL.search(name)):
        return ""
    found = []
    for text in dims:
        text = text.replace("n_embd / 2 + n_embd / 2", "n_embd_head_enc * n_head")
        # A residual that is as wide as its input, or a multiple of it.
        text = re.sub(r'ne\("\w+\.blk\.%d\.(ffn_up\.weight", 0|attn_out\.weight", 1)\)', "n_embd", text)
        found.append("any" if text.isdigit() and int(text) > 3 else text)
    weight = name.replace(".bias", ".weight")
    if FUSED.search(name):
        found[-1] = "n_embd_head_enc * (n_head + 2 * n_head_kv)"
    elif weight != name and len(found) == 1 and ranks.get(weight) == 2:
        found = [f'ne("{weight}", 1)']
    elif name.endswith(".blk.%d.ffn_up.weight"):
        found[0] = "n_embd"
    elif name.endswith("ffn_gate.weight"):
        found = ["n_embd", f'ne("{name.replace("gate", "up")}", 1)']
    elif "patch_embd.weight" in name and len(found) == 4:
        found[:2] = ["any", "any"]  # A row of hparam_rules.tsv is about the kernel.
    return "" if set(found) <= {"any"} else f"[{', '.join(found)}]"


def rows_of(document, standard, required_of_all):
    """Returns the rows of a type's file; `required_of_all` are the keys without which no projector loads."""
    rows = []
    for row in document["keys"]:
        name, kind, without = row["name"], row["type"] or "u32", row.get("without", "ok")
        general = standard.get(name, {}).get("reading") == "projectors"
        if general or name in GENERAL:
            if without.startswith("refuses") and name.startswith(document["prefix"]) and name not in required_of_all:
                rows.append(("key", name, "", "true", ""))
            continue
        loader = standard.get(name, {}).get("loader", "-")
        value = "" if loader == kind else kind
        if without.startswith("refuses"):
            rows.append(("key", name, value, "true", ""))
        else:
            rows.append(("key", name, value, "", ""))
            if without.startswith("dies"):
                rows.append(("size", name, value, "true", ""))
    stacks = {row["name"].split("%d")[0] for row in document["tensors"] if "%d" in row["name"]}
    blocks = [stack for stack in sorted(stacks) if stack.endswith(".blk.") and stack.count(".") == 2]
    rows += [("blocks", stack, "n_layer", "", "") for stack in blocks]
    if not blocks:  # The smallest has none; the loader asks for the tensors of those that are counted.
        stack = {"clip.vision": "v.blk.", "clip.audio": "a.blk."}[document["prefix"]]
        rows.append(("blocks", stack, "n_layer", "", ""))
        rows += [("tensor", f"{stack}%d.{name}.weight", "", "true", "") for name in ("attn_out", "ffn_up", "ffn_down")]
    for stack in sorted(stacks - set(blocks)):
        count = max(row["blocks"] for row in document["tensors"] if row["name"].startswith(stack))
        present = any(row["name"].startswith(stack) and row.get("without") for row in document["tensors"])
        if count > 1 and present:
            rows.append(("blocks", stack, str(count), "", ""))
    ranks = {row["name"]: len(row["shape"]) for row in document["tensors"] if row.get("shape")}
    replaced = {}
    for row in document["tensors"]:
        for name in row.get("replaces", ()):
            replaced.setdefault(name, []).append(row["name"])
    last = "i < n_layer - 1" if document["last_unused"] else ""
    for row in document["tensors"]:
        if row.get("unused") or row.get("unknown"):
            continue
        name, words = row["name"], list(row.get("without", {}).values())
        in_block = any(name.startswith(stack) for stack in blocks)
        required = "true" if words and all(word.startswith("refuses") for word in words) else ""
        shape = shape_of(row, ranks)
        deadly = any(word.startswith("dies") for word in words)
        if not (shape or required or deadly):
            continue
        if last and in_block and shape:
            rows.append(("tensor", name, shape, required, last))
            rows.append(("tensor", name, "", required, ""))
        else:
            rows.append(("tensor", name, shape, required, ""))
        if deadly:
            absent = [f'absent("{one}")' for one in sorted(replaced.get(name, ()))]
            rows.append(("graph", name, "", " and ".join([*([last] if last and in_block else []), *absent]) or "true", ""))
    return list(dict.fromkeys("\t".join(row) for row in rows))


GENERAL = ("general.alignment",)


def _is_row(line):
    return line.strip() and not line.startswith(("#", "what\t", "group\t"))


def read_groups(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "groups", "*.tsv"))):
        with open(path, encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file if _is_row(line)]
        found[os.path.basename(path)[:-4]] = lines
    return found


def with_groups(rows, groups):
    """Returns the rows, with names of groups in place of theirs."""
    left, named = list(rows), []
    for name, lines in sorted(groups.items(), key=lambda one: -len(one[1])):
        if set(lines) <= set(left):
            named.append("\t".join(["group", name, "", "", ""]))
            left = [row for row in left if row not in lines]
    return named + left


def standard_keys(tables):
    with open(os.path.join(tables, "standard_keys.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    names = [re.split("[!:]", cell)[0] for cell in lines[0]]
    return {line[0]: dict(zip(names, line)) for line in lines[1:]}


def add_keys(tables, missing):
    """Adds rows for keys that no table has: {key: type}."""
    path = os.path.join(tables, "standard_keys.tsv")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("key!"))
    rows = lines[start + 1 :]
    for name, kind in missing.items():
        row = "\t".join([name, "-", "-", kind, "never", "", "any", "", "0", "current", ""])
        place = next((i for i, line in enumerate(rows) if line.split("\t")[0] > name), len(rows))
        rows.insert(place, row)
        print(f"standard_keys.tsv: {name}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[: start + 1] + rows) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables")
    parser.add_argument("documents")
    options = parser.parse_args()
    standard = standard_keys(options.tables)
    folder = os.path.join(options.tables, "projectors")
    groups, missing = read_groups(folder), {}
    with open(os.path.join(options.tables, "kind_keys.tsv"), encoding="utf-8") as file:
        required_of_all = {line.split("\t")[2] for line in file if line.startswith("projector\tmust\t")}
    for path in sorted(glob.glob(os.path.join(options.documents, "*.json"))):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if not document["loads"]:
            print(f"? {document['name']}: {document['message']}")
            continue
        for row in document["keys"]:
            if row["name"] not in standard:
                missing[row["name"]] = row["type"] or "u32"
        rows = with_groups(rows_of(document, standard, required_of_all), groups)
        with open(os.path.join(folder, document["name"] + ".tsv"), "w", encoding="utf-8") as file:
            file.write("\n".join([HEADER, *rows]) + "\n")
    add_keys(options.tables, missing)


if __name__ == "__main__":
    main()
