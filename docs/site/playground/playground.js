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

const SEVERITIES = ["error", "warning", "note"];

// The worst first, then by their place in the file.
function inOrder(findings) {
  const rank = ({severity}) => SEVERITIES.indexOf(severity);
  return [...findings].sort((a, b) => rank(a) - rank(b) || a.offset - b.offset);
}

function rowOf(finding) {
  const rule = element("a", {href: `../rules/${finding.rule}.html`}, finding.rule);
  return element("tr", {},
      element("td", {class: finding.severity}, finding.severity),
      element("td", {}, finding.offset || finding.length ? "0x" + Number(finding.offset).toString(16) : ""),
      element("td", {}, `${finding.subject} ${finding.message} `, rule,
          element("p", {class: "dim"}, `${finding.summary} Repair: ${finding.repair}`)));
}

function tableOf(findings) {
  return element("div", {class: "box"}, element("table", {},
      element("thead", {}, element("tr", {}, ...["Severity", "Offset", "Finding"].map(
          (text) => element("th", {}, text)))),
      element("tbody", {}, ...inOrder(findings).map(rowOf))));
}

function folded(title, ...children) {
  return element("details", {}, element("summary", {}, title), ...children);
}

// A cause, with the findings that it explains folded below it.
function causeOf(cause, findings) {
  const explained = findings.filter((finding) => finding.cause === cause.id);
  const worst = inOrder(explained)[0]?.severity ?? "note";
  return element("div", {class: "cause"},
      element("p", {}, element("strong", {class: worst}, `${worst}: `), cause.message),
      element("p", {class: "dim"}, `Repair: ${cause.repair}`),
      ...(explained.length ?
          [folded(`${amount(cause.findings, "finding")} from this`, tableOf(explained))] : []));
}

// What readers will do, in a list.
function predictionsOf(readers) {
  return folded("What readers will do", element("ul", {}, ...readers.map((reader) =>
      element("li", {}, `${reader.reader} ${reader.version}: ${reader.verdict}` +
          (reader.why ? `. ${reader.why}` : "")))));
}

// What a model is, as `ggufcheck show` says it.
function summaryOf(model) {
  const rows = model.shown.map(({label, text}) => element("tr", {},
      element("th", {scope: "row"}, label), element("td", {class: "lines"}, text)));
  const {rendering} = model;
  return element("div", {}, element("h3", {}, "What the model is"), element("div", {class: "box"},
      element("table", {class: "facts"}, element("tbody", {}, ...rows))),
      ...(rendering ? [folded("What the model reads of a conversation",
          element("pre", {}, rendering.error || rendering.text))] : []));
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
  const causes = file.causes ?? [];
  section.append(...causes.map((cause) => causeOf(cause, file.findings)));
  const others = file.findings.filter(({cause}) => !causes.some(({id}) => id === cause));
  if (others.length) section.append(tableOf(others));
  if (!file.findings.length) section.append(element("p", {}, "No findings."));
  for (const {rule, count} of file.more) {
    section.append(element("p", {class: "dim"}, `${count} more findings of ${rule}`));
  }
  const safe = file.findings.filter(({fix}) => fix === "safe");
  if (safe.length) {
    section.append(element("p", {}, `${amount(safe.length, "finding")} can be repaired: `,
        element("code", {}, `ggufcheck fix ${file.path} --output NEW`)));
  }
  if (file.readers?.length) section.append(predictionsOf(file.readers));
  if (unchecked.size) {
    section.append(folded("Not checked", element("ul", {}, ...[...unchecked].map(
        ([why, rules]) => element("li", {}, `${rules.join(", ")}: ${why}`)))));
  }
  return section;
}

// The verdict on the shards of a model together.
function sectionOfSet({path, shard}) {
  return element("section", {}, element("h2", {class: shard.result},
      `${shard.result}: ${path.replace(/-\d+-of-\d+\.gguf$/, "")}, a model of ${amount(shard.count, "shard")}`));
}

// Returns the sections of a report: what a model is stands below the verdict on it.
function sectionsOf({files}, {files: models}) {
  const sections = [];
  for (const file of files) {
    const model = models.find(({path}) => path === file.path);
    const isSet = Boolean(file.shard?.result);
    if (isSet) sections.push(sectionOfSet(file));
    const section = sectionOf(file);
    if (model) (isSet ? sections.at(-1) : section).append(summaryOf(model));
    sections.push(section);
  }
  return sections;
}

function offerReport(report) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], {type: "application/json"}));
  const name = report.files[0].path.replace(/\.gguf$/, "") + ".report.json";
  return element("p", {}, element("a", {href: url, download: name}, "Download the report (JSON)"));
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

// Returns what the worker answers: {report, shown} or {error}.
function ask(requests, readers = false) {
  worker ??= new Worker("worker.mjs", {type: "module"});
  return new Promise((resolve) => {
    worker.onmessage = ({data}) => resolve(data);
    worker.onerror = (event) => resolve({error: event.message || "the module cannot be loaded"});
    worker.postMessage({requests, readers, profile: form.elements.profile.value});
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
    const {report, shown, error} = group[0].error ? group[0] : await ask(group, true);
    if (error) worker = worker?.terminate() ?? null;  // The module may be broken.
    result.append(...(error ? group.map((request) => sectionOfError(nameOf(request), error)) :
                              [...sectionsOf(report, shown), offerReport(report)]));
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
form.elements.example.addEventListener("click", async () => {
  const answer = await fetch("example.gguf");
  check([{file: new File([await answer.blob()], "example.gguf")}]);
});
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  form.classList.add("over");
});
document.addEventListener("dragleave", () => form.classList.remove("over"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  const dropped = requestsOf(event.dataTransfer);
  if (dropped.length) {
    check(dropped);
  } else {
    stop("There is no file in what was dropped.");
  }
});
if (location.protocol === "file:") {
  for (const control of form.elements) control.disabled = true;
  status.textContent = "Browsers do not let a page in a file check files. Run `python3 -m http.server` " +
      "in the folder of the site, and open http://localhost:8000/check/.";
}
