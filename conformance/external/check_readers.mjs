// Compares the predictions of `ggufcheck check --readers` with a reader.
//
//   node check_readers.mjs GGUFCHECK MODULES
//
// Exports the corpus, lets @huggingface/gguf (in MODULES/node_modules) read
// every file, and compares.  Exits with 1 if a wrong verdict is missing in
// known_differences.tsv, or if an entry of that file is outdated.
//
// SPDX-License-Identifier: Apache-2.0

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kReader = "@huggingface/gguf";
const [ggufcheck, modules] = process.argv.slice(2);
const { gguf } = createRequire(join(modules, "package.json"))(kReader);

// Returns the predictions of ggufcheck by path.
function predicted(folder) {
  const run = spawnSync(ggufcheck, ["check", "--readers", "--format", "json", folder], {
    maxBuffer: 1 << 30,
    encoding: "utf8",
  });
  if (run.error) throw run.error;
  const verdicts = new Map();
  for (const file of JSON.parse(run.stdout).files) {
    verdicts.set(file.path, file.readers.find((reader) => reader.reader === kReader));
  }
  return verdicts;
}

async function really(path) {
  try {
    await gguf(path, { allowLocalFile: true });
    return { takes: true, why: "" };
  } catch (error) {
    return { takes: false, why: String(error.message).split("\n")[0] };
  }
}

// Returns the ids of the cases whose predictions are known to be wrong.
function knownDifferences() {
  const text = readFileSync(new URL("known_differences.tsv", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  const rows = lines.map((line) => line.split("\t"));
  return new Set(rows.filter(([, reader]) => reader === kReader).map(([id]) => id));
}

async function compare(folder) {
  const known = knownDifferences();
  const count = { equal: 0, unknown: 0, known: 0, wrong: 0 };
  for (const [path, verdict] of predicted(folder)) {
    const id = path.slice(folder.length + 1).replace(/\.gguf$/, "");
    const real = await really(path);
    const takes = ["accepts", "degrades"].includes(verdict.verdict);
    const differs = verdict.verdict !== "unknown" && takes !== real.takes;
    if (verdict.verdict === "unknown") ++count.unknown;
    else if (!differs && !known.has(id)) ++count.equal;
    else if (differs && known.has(id)) ++count.known;
    else {
      ++count.wrong;
      const did = real.takes ? "takes it" : `refuses it: ${real.why}`;
      console.log(`${id}: ggufcheck predicts ${verdict.verdict}, but ${kReader} ${did}`);
      if (!differs) console.log("  remove it from known_differences.tsv");
    }
    known.delete(id);
  }
  for (const id of known) {
    ++count.wrong;
    console.log(`${id}: is in known_differences.tsv, but no such file was read`);
  }
  return count;
}

const folder = mkdtempSync(join(tmpdir(), "ggufcheck-readers-"));
try {
  execFileSync(ggufcheck, ["corpus", "export", folder], { stdio: "ignore" });
  const count = await compare(folder);
  console.log(
    `${kReader}: ${count.equal} files as predicted, ${count.unknown} not predicted, ` +
      `${count.known} known to differ, ${count.wrong} wrong`,
  );
  process.exitCode = count.wrong || !count.equal ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
