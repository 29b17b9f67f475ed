// Filters the rows of a table by text, and by the severity in a profile.  A row may have more words
// than it shows.
//
// SPDX-License-Identifier: Apache-2.0
"use strict";

for (const form of document.querySelectorAll("form.filter")) {
  const rows = [...document.querySelectorAll(form.dataset.rows)].map(
      (row) => ({row, text: `${row.textContent} ${row.dataset.words ?? ""}`.toLowerCase()}));
  const {text, profile, severity} = form.elements;
  const output = form.querySelector("output");
  const columns = profile ? [...profile.options].map((option) => option.value) : [];

  const matches = ({row, text: words}) => {
    if (!text.value.toLowerCase().split(/\s+/).every((word) => words.includes(word))) {
      return false;
    }
    if (!severity || !severity.value) return true;
    const cell = row.cells[row.cells.length - columns.length + profile.selectedIndex];
    return cell.textContent === severity.value;
  };
  const apply = () => {
    let shown = 0;
    for (const entry of rows) {
      entry.row.hidden = !matches(entry);
      shown += !entry.row.hidden;
    }
    output.textContent = `${shown} of ${rows.length}`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);  // Not every browser has input events of a select.
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
}
