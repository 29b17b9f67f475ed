// The page on which a file is dropped.  Texts from a file become text nodes only.
//
// SPDX-License-Identifier: Apache-2.0
"use strict";

const form = document.querySelector("#check");
const status = document.querySelector("#status");
const result = document.querySelector("#result");
let worker = null;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function amount(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function about(file) {
  const parts = [file.format + (file.version === null ? "" : ` version ${file.version}`)];
  if (file.endian) parts.push(`${file.endian} endian`);
  if (file.tensors !== null) parts.push(amount(file.tensors, "tensor"));
  if (file.keys !== null) parts.push(amount(file.keys, "key"));
  if (file.size !== null) parts.push(amount(file.size, "byte"));
  if (file.needs) parts.push(`needs llama.cpp >= ${file.needs["llama.cpp"]}`);
  return parts.join(", ");
}

function rowOf(finding) {
  const rule = element("a", {href: `../rules/${finding.rule}.html`}, finding.rule);
  return element("tr", {},
      element("td", {class: finding.severity}, finding.severity),
      element("td", {}, "0x" + Number(finding.offset).toString(16)),
      element("td", {}, `${finding.subject} ${finding.message} `, rule));
}

function show(report) {
  const [file] = report.files;
  const unchecked = new Map();
  for (const {rule, why} of file.not_checked) {
    unchecked.set(why, [...(unchecked.get(why) ?? []), rule]);
  }
  result.replaceChildren(
      element("h2", {class: file.result}, `${file.result}: ${file.path}`),
      element("p", {}, about(file)));
  if (file.incomplete) result.append(element("p", {class: "incomplete"}, file.incomplete));
  if (file.findings.length) {
    result.append(element("div", {class: "box"}, element("table", {},
        element("thead", {}, element("tr", {}, ...["Severity", "Offset", "Finding"].map(
            (text) => element("th", {}, text)))),
        element("tbody", {}, ...file.findings.map(rowOf)))));
  } else {
    result.append(element("p", {}, "No findings."));
  }
  for (const {rule, count} of file.more) {
    result.append(element("p", {class: "dim"}, `${count} more findings of ${rule}`));
  }
  if (unchecked.size) {
    result.append(element("details", {}, element("summary", {}, "Not checked"),
        element("ul", {}, ...[...unchecked].map(
            ([why, rules]) => element("li", {}, `${rules.join(", ")}: ${why}`)))));
  }
}

function stop(text) {
  worker?.terminate();
  worker = null;
  status.textContent = text;
  form.elements.stop.hidden = true;
}

function check(request) {
  stop("");
  result.replaceChildren();
  worker = new Worker("worker.mjs", {type: "module"});
  worker.onmessage = ({data}) => {
    if (data.report) show(data.report);
    stop(data.error ? `Not checked: ${data.error}.` : "");
  };
  worker.onerror = (event) => stop(`Not checked: ${event.message || "the module cannot be loaded"}.`);
  worker.postMessage({...request, profile: form.elements.profile.value});
  status.textContent = "Checking...";
  form.elements.stop.hidden = false;
}

form.elements.file.addEventListener("change", ({target}) => {
  if (target.files.length) check({file: target.files[0]});
});
form.elements.stop.addEventListener("click", () => stop("Stopped."));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (form.elements.url.value) check({url: form.elements.url.value});
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) check({file: event.dataTransfer.files[0]});
});
