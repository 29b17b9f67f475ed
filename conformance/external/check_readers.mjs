// Does `ggufcheck check --readers` foretell what a reader really does?
//
//   node check_readers.mjs GGUFCHECK MODULES
//
// Exports the corpus, lets @huggingface/gguf (in MODULES/node_modules) read
// every file, and compares.  Ends with 1 when a verdict is wrong that is not
// in known_differences.tsv, or when one that is there is right by now.
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

// What ggufcheck foretells, by path.
function foretold(folder) {
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

// The ids of the cases about which the table is known to be wrong.
function knownDifferences() {
  const text = readFileSync(new URL("known_differences.tsv", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  const rows = lines.map((line) => line.split("\t"));
  return new Set(rows.filter(([, reader]) => reader === kReader).map(([id]) => id));
}

async function compare(folder) {
  const known = knownDifferences();
  const count = { equal: 0, unknown: 0, known: 0, wrong: 0 };
  for (const [path, verdict] of foretold(folder)) {
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
      console.log(`${id}: ggufcheck says ${verdict.verdict}, and ${kReader} ${did}`);
      if (!differs) console.log("  so it has no place in known_differences.tsv any more");
    }
    known.delete(id);
  }
  for (const id of known) {
    ++count.wrong;
    console.log(`${id}: is in known_differences.tsv, and no such file was read`);
  }
  return count;
}

const folder = mkdtempSync(join(tmpdir(), "ggufcheck-readers-"));
try {
  execFileSync(ggufcheck, ["corpus", "export", folder], { stdio: "ignore" });
  const count = await compare(folder);
  console.log(
    `${kReader}: ${count.equal} files as foretold, ${count.unknown} not foretold, ` +
      `${count.known} known to differ, ${count.wrong} wrong`,
  );
  process.exitCode = count.wrong || !count.equal ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
