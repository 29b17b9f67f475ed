// The page on which a file is dropped.  Texts from a file become text nodes only.
//
// SPDX-License-Identifier: Apache-2.0
"use strict";

const form = document.querySelector("#check");
const status = document.querySelector("#status");
const result = document.querySelector("#result");
let worker = null;
// What was last asked for: {file} or {url}, or {name, error} for what cannot be
// checked.
let requests = [];

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
  if (file.needs) parts.push(`needs llama.cpp ${file.needs["llama.cpp"]} or newer`);
  return parts.join(", ");
}

function rowOf(finding) {
  const rule = element("a", {href: `../rules/${finding.rule}.html`}, finding.rule);
  return element("tr", {},
      element("td", {class: finding.severity}, finding.severity),
      element("td", {}, "0x" + Number(finding.offset).toString(16)),
      element("td", {}, `${finding.subject} ${finding.message} `, rule));
}

function sectionOf(file) {
  const unchecked = new Map();
  for (const {rule, why} of file.not_checked) {
    unchecked.set(why, [...(unchecked.get(why) ?? []), rule]);
  }
  const section = element("section", {},
      element("h2", {class: file.result}, `${file.result}: ${file.path}`),
      element("p", {}, about(file)));
  if (file.about) section.append(element("p", {}, `This is ${file.about}`));
  if (file.incomplete) section.append(element("p", {class: "incomplete"}, file.incomplete));
  if (file.findings.length) {
    section.append(element("div", {class: "box"}, element("table", {},
        element("thead", {}, element("tr", {}, ...["Severity", "Offset", "Finding"].map(
            (text) => element("th", {}, text)))),
        element("tbody", {}, ...file.findings.map(rowOf)))));
  } else {
    section.append(element("p", {}, "No findings."));
  }
  for (const {rule, count} of file.more) {
    section.append(element("p", {class: "dim"}, `${count} more findings of ${rule}`));
  }
  if (unchecked.size) {
    section.append(element("details", {}, element("summary", {}, "Not checked"),
        element("ul", {}, ...[...unchecked].map(
            ([why, rules]) => element("li", {}, `${rules.join(", ")}: ${why}`)))));
  }
  return section;
}

function nameOf(request) {
  return request.name ?? request.url ?? request.file.name;
}

function sectionOfError(name, error) {
  return element("section", {}, element("h2", {class: "incomplete"}, `not checked: ${name}`),
      element("p", {}, error));
}

function stop(text) {
  worker?.terminate();
  worker = null;
  status.textContent = text;
  form.elements.stop.hidden = true;
}

// Returns the requests in groups, each with the shards of one model: the module
// decides; here, their names differ only in the number before "-of-".
function groupsOf(requests) {
  const groups = new Map();
  for (const request of requests) {
    const key = request.file ? request.file.name.replace(/\d+-of-/, "-of-") : request;
    groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return [...groups.values()];
}

// Returns what the worker answers: {report} or {error}.
function ask(requests) {
  worker ??= new Worker("worker.mjs", {type: "module"});
  return new Promise((resolve) => {
    worker.onmessage = ({data}) => resolve(data);
    worker.onerror = (event) => resolve({error: event.message || "the module cannot be loaded"});
    worker.postMessage({requests, profile: form.elements.profile.value});
  });
}

// Checks one group after the other.  A later call ends this one, and so does stop().
async function check(asked) {
  if (!form.elements.stop.hidden) stop("");
  requests = asked;
  result.replaceChildren();
  form.elements.stop.hidden = false;
  const groups = groupsOf(asked);
  for (const [i, group] of groups.entries()) {
    const name = nameOf(group[0]);
    status.textContent = `Checking ${name}` + (groups.length > 1 ? `, ${i + 1} of ${groups.length}` : "") + "...";
    const {report, error} = group[0].error ? group[0] : await ask(group);
    if (error) worker = worker?.terminate() ?? null;  // The module may be broken.
    result.append(...(error ? group.map((request) => sectionOfError(nameOf(request), error)) :
                              report.files.map(sectionOf)));
  }
  status.textContent = "";
  form.elements.stop.hidden = true;
}

function requestsOf(transfer) {
  return [...transfer.items].filter(({kind}) => kind === "file").map((item) => {
    const file = item.getAsFile();
    return item.webkitGetAsEntry()?.isDirectory ?
        {name: file.name, error: "This is a directory. Drop its files."} : {file};
  });
}

form.elements.file.addEventListener("change", ({target}) => {
  if (target.files.length) check([...target.files].map((file) => ({file})));
  target.value = "";  // The same file again is a change, too.
});
form.elements.profile.addEventListener("change", () => {
  if (requests.length) check(requests);
});
form.elements.stop.addEventListener("click", () => stop("Stopped."));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  check([{url: form.elements.url.value}]);
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const dropped = requestsOf(event.dataTransfer);
  if (dropped.length) {
    check(dropped);
  } else {
    stop("There is no file in what was dropped.");
  }
});
