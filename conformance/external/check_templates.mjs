// Checks that ggufcheck accepts the templates of other projects.
//
//   node check_templates.mjs GGUFCHECK FOLDER_OR_FILE...
//
// Takes .jinja files, the strings with tags in the .js files of tests, and
// .gguf files.  Exits with 1 if one has a finding of template-attributes-safe
// or another rule on what templates do, or was not checked for it; or if a
// folder has no templates.
//
// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";

const kRules = [
  "template-attributes-safe",
  "template-loops-bounded",
  "template-values-bounded",
  "template-macros-end",
  "template-self-contained",
];
const kProfiles = ["safety", "upload"];

// Tests of the language that do what no template of a model does.
const kExpected = new Map([
  ["{{ ‘text’ }}", "has a name that is not ASCII"],
  ["{{ obj.x(x, y) }}{{ ' ' + obj.x() + ' ' }}{{ obj.z[x](x, y) }}", "calls what a message names"],
]);

const kComment = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
const kString = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|${"`"}(?:\\[\s\S]|[^${"`"}\\])*${"`"}`;

// Returns the strings of a program that are templates.
function templatesInProgram(text) {
  const templates = [];
  for (const [token] of text.matchAll(new RegExp(`${kComment}|${kString}`, "g"))) {
    if (token.startsWith("/")) continue;
    const value = runInNewContext(token.startsWith("`") ? token.replaceAll("${", "\\${") : token);
    if (value.includes("{{") || value.includes("{%")) templates.push(value);
  }
  return templates;
}

// Returns the bytes of a GGUF file with the template alone.
function modelOf(template) {
  const u32 = (n) => Buffer.from(new Uint32Array([n]).buffer);
  const u64 = (n) => Buffer.from(new BigUint64Array([BigInt(n)]).buffer);
  const string = (text) => [u64(Buffer.byteLength(text)), Buffer.from(text)];
  const kTypeString = 8;
  const key = [...string("tokenizer.chat_template"), u32(kTypeString), ...string(template)];
  return Buffer.concat([Buffer.from("GGUF"), u32(3), u64(0), u64(1), ...key]);
}

// Adds the templates below a path to the map from names to bytes of models.
function collect(path, models) {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) collect(join(path, name), models);
  } else if (path.endsWith(".jinja")) {
    models.set(path, modelOf(readFileSync(path, "utf8")));
  } else if (path.endsWith(".js")) {
    templatesInProgram(readFileSync(path, "utf8")).forEach((template, i) => {
      if (!kExpected.has(template)) models.set(`${path}: template ${i + 1}`, modelOf(template));
    });
  } else if (path.endsWith(".gguf")) {
    models.set(path, null);
  }
}

const [ggufcheck, ...paths] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "ggufcheck-templates-"));
let wrong = 0;
try {
  for (const path of paths) {
    const models = new Map();
    collect(path, models);
    const names = [...models.keys()];
    const files = names.map((name, i) => {
      const file = join(folder, `${i}.gguf`);
      if (models.get(name) === null) copyFileSync(name, file);
      else writeFileSync(file, models.get(name));
      return file;
    });
    if (!files.length) {
      console.log(`${path}: has no templates`);
      ++wrong;
      continue;
    }
    const before = wrong;
    for (const profile of kProfiles) {
      const run = spawnSync(ggufcheck, ["check", "--profile", profile, "--format", "json", ...files], {
        maxBuffer: 1 << 30,
        encoding: "utf8",
      });
      if (run.error) throw run.error;
      const reports = JSON.parse(run.stdout).files;
      if (reports.length !== files.length) throw new Error("a file has no report");
      reports.forEach((report, i) => {
        const found = [
          ...report.findings.map(({ rule, message }) => [rule, message]),
          ...report.not_checked.map(({ rule, why }) => [rule, `not checked: ${why}`]),
        ];
        for (const [rule, message] of found.filter(([rule]) => kRules.includes(rule))) {
          ++wrong;
          console.log(`${names[i]}: ${profile}: ${rule}: ${message}`);
        }
      });
    }
    console.log(`${path}: ${files.length} templates or files, ${wrong - before} findings`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = wrong || !paths.length ? 1 : 0;
