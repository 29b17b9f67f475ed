// Renders templates with @huggingface/jinja.
//
//   node render_jinja.mjs MODULES DATE
//
// Each line of standard input is a JSON list of a template and its variables; each line of the
// output is one of the text and the error, one of which is null.
//
// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, date] = process.argv.slice(2);
const { Template } = createRequire(join(modules, "package.json"))("@huggingface/jinja");

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length ? given : [`${date}T00:00:00`]));
  }
};

for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const [text, variables] = JSON.parse(line);
  let result;
  try {
    result = [new Template(text).render(variables), null];
  } catch (error) {
    result = [null, String(error.message)];
  }
  console.log(JSON.stringify(result));
}
