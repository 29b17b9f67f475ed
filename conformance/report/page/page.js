// The filters of the HTML report.
'use strict';
(() => {
  const form = document.getElementById('filters');
  const files = [...document.querySelectorAll('details.file')].map((element) => ({
    element,
    path: element.querySelector('summary code').textContent.toLowerCase(),
    rows: [...element.querySelectorAll('tr.finding')],
  }));
  const rows = files.flatMap((file) => file.rows);

  function apply() {
    const {q, severity, rule} = form.elements;
    const text = q.value.trim().toLowerCase();
    let shownRows = 0, shownFiles = 0;
    for (const file of files) {
      const named = file.path.includes(text);
      let shown = 0;
      for (const row of file.rows) {
        const matches = (!severity.value || row.dataset.severity === severity.value) &&
          (!rule.value || row.dataset.rule === rule.value) &&
          (named || row.textContent.toLowerCase().includes(text));
        row.hidden = !matches;
        if (matches) ++shown;
      }
      file.element.hidden = shown === 0 && (severity.value || rule.value || !named);
      if (!file.element.hidden) ++shownFiles;
      shownRows += shown;
    }
    document.getElementById('shown').textContent =
      `${shownRows} of ${rows.length} findings in ${shownFiles} of ${files.length} files`;
  }

  for (const rule of [...new Set(rows.map((row) => row.dataset.rule))].sort()) {
    form.elements.rule.append(new Option(rule));
  }
  for (const event of ['input', 'change']) form.addEventListener(event, apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
