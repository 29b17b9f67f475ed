// Compares the module's reports with the program's, which program_reports.py
// wrote; for Node and for pages.
//
// SPDX-License-Identifier: Apache-2.0

// Returns what both must agree on: the path is that of a copy.
function comparable({path, path_hex, index, ...rest}) {
  return JSON.stringify(rest, null, 1).split("\n");
}

// Compares the files of reports.json with what `check` returns for a file's path
// and name.  Returns a line for each that differs.
export async function compare(files, check) {
  const differences = [];
  for (const {file, name, report} of files) {
    const expected = comparable(report);
    let actual;
    try {
      actual = comparable((await check(file, name)).files[0]);
    } catch (error) {
      actual = [String(error)];
    }
    const length = Math.max(expected.length, actual.length);
    for (let i = 0; i < length; ++i) {
      if (expected[i] === actual[i]) continue;
      differences.push(`${file}: ${expected[i]?.trim()} of the program, ${actual[i]?.trim()}`);
      break;
    }
  }
  return differences;
}
