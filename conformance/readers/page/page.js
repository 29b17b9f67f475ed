// The script of the page: filters, groups that open, and the details of a case.
// Texts of the data are inserted only as text, never as HTML.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const form = document.getElementById('filters');
  const table = document.getElementById('matrix');
  const dialog = document.getElementById('case');
  const previewed = 2;
  const filterNames = ['q', 'reader', 'level', 'outcome', 'flag'];
  const byId = new Map(data.cases.map((row) => [row.case, row]));
  const open = new Set();  // Keys of open groups.
  let current = new Map();  // The groups in the table, by key.
  let opened = null;  // {row, column} in the dialog.

  // Each case's cells show the same as its group.
  for (const group of data.groups) {
    for (const id of group.cases) byId.get(id).shown = group.readers;
  }

  // Creates an element with attributes and children; strings become text.
  function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function badge({result, outcome}) {
    return el('span', {class: 'result r-' + result.replace(' ', '-')}, result,
              outcome ? el('small', {}, ' ' + outcome) : null);
  }

  function chip(text) {
    return el('span', {class: text === 'critical' ? 'chip critical' : 'chip'}, text);
  }

  // Filters -------------------------------------------------------------------

  function state() {
    return Object.fromEntries(filterNames.map((name) => [name, form.elements[name].value]));
  }

  function columns(reader) {
    const all = data.readers.map((_, i) => i);
    return reader ? all.filter((i) => data.readers[i].label === reader) : all;
  }

  // Returns the text that the text filter searches, in lower case.
  function haystack(row) {
    row.haystack ??= [row.case, row.title, row.importance, row.verdict, row.expected, ...row.flags,
      ...row.readers.flatMap((cell) => cell
        ? [cell.reject?.text, cell.difference?.path, cell.stderr] : [])].join('\n').toLowerCase();
    return row.haystack;
  }

  function matches(row, filters, visible) {
    const cells = visible.map((i) => row.readers[i]).filter(Boolean);
    const {level, outcome, flag} = filters;
    return filters.q.toLowerCase().split(/\s+/).every((word) => haystack(row).includes(word)) &&
        (!flag || row.flags.includes(flag)) &&
        (!outcome || cells.some((cell) => outcome === 'result ' + cell.result ||
                                          outcome === 'outcome ' + cell.outcome)) &&
        (!level || row.level === level ||
         cells.some((cell) => level[0] === 'L' && cell.levels[level[1]] === 'f'));
  }

  // Returns the matching rows, grouped by equal cells.
  function groups(filters) {
    const visible = columns(filters.reader);
    const found = new Map();
    for (const row of data.cases) {
      if (!matches(row, filters, visible)) continue;
      const cells = visible.map((i) => row.shown[i]);
      const key = JSON.stringify([row.section, cells]);
      if (!found.has(key)) found.set(key, {key, visible, cells, section: row.section, rows: []});
      found.get(key).rows.push(row);
    }
    return found;
  }

  function option(value, text) {
    return el('option', {value}, text);
  }

  function fillFilters() {
    const cells = data.cases.flatMap((row) => row.readers.filter(Boolean));
    const distinct = (values) => [...new Set(values)].sort();
    const group = (label, ...options) => el('optgroup', {label}, ...options);
    const {reader, level, outcome, flag} = form.elements;
    reader.append(option('', 'all'), ...data.readers.map(({label}) => option(label, label)));
    level.append(option('', 'all'),
                 group('requirement', ...['must', 'should', 'may'].map((word) => option(word, word))),
                 group('fails at', ...(data.readers[0]?.levels ?? []).map(
                     (at) => option(at.level, at.level + ' ' + at.about))));
    outcome.append(option('', 'all'),
                   group('result', ...distinct(cells.map((cell) => cell.result)).map(
                       (word) => option('result ' + word, word))),
                   group('outcome', ...distinct(cells.map((cell) => cell.outcome)).map(
                       (word) => option('outcome ' + word, word))));
    flag.append(option('', 'all'),
                ...distinct(data.cases.flatMap((row) => row.flags)).map((name) => option(name, name)));
  }

  function nameOf(row) {
    return row.case.slice(row.section.length + 1);
  }

  // Shows the names of the first cases of a closed group.
  function preview(rows) {
    const names = rows.slice(0, previewed).map(nameOf);
    return el('small', {}, names.join(', ') + (rows.length > previewed ? ', ...' : ''));
  }

  // The matrix ----------------------------------------------------------------

  function caseRow(row, visible) {
    const cellButton = (i) => row.readers[i]
        ? el('button', {type: 'button', 'data-case': row.case, 'data-column': i,
                        'aria-label': `${data.readers[i].label}: ${row.shown[i].result}`}, badge(row.shown[i]))
        : badge(row.shown[i]);
    return el('tr', {class: 'case'},
              el('th', {scope: 'row'},
                 el('button', {type: 'button', 'data-case': row.case}, nameOf(row)),
                 ' ', row.importance === 'critical' ? chip('critical') : null,
                 el('br'), el('small', {}, row.title)),
              ...visible.map((i) => el('td', {}, cellButton(i))));
  }

  function groupBody(group) {
    const isOpen = open.has(group.key);
    const critical = group.rows.some((row) => row.importance === 'critical');
    const head = el('tr', {class: 'group'},
                    el('th', {scope: 'row'},
                       el('button', {type: 'button', 'aria-expanded': isOpen, 'data-group': group.key},
                          el('b', {}, group.section), ' ', counted(group.rows.length, 'case')),
                       ' ', critical ? chip('critical') : null,
                       ...(isOpen ? [] : [el('br'), preview(group.rows)])),
                    ...group.cells.map((cell) => el('td', {}, badge(cell))));
    return el('tbody', {}, head, ...(isOpen ? group.rows.map((row) => caseRow(row, group.visible)) : []));
  }

  function show() {
    const filters = state();
    const visible = columns(filters.reader);
    current = groups(filters);
    const found = [...current.values()];
    const rows = found.reduce((sum, group) => sum + group.rows.length, 0);
    table.replaceChildren(
        el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Section and cases'),
                           ...visible.map((i) => el('th', {scope: 'col'}, el('div', {class: 'label'}, data.readers[i].label))))),
        ...found.map(groupBody));
    document.getElementById('shown').value =
        `${rows} of ${counted(data.cases.length, 'case')}, in ${counted(found.length, 'group')}`;
  }

  function toggle(button) {
    const key = button.dataset.group;
    if (!open.delete(key)) open.add(key);
    const fresh = groupBody(current.get(key));
    button.closest('tbody').replaceWith(fresh);
    fresh.querySelector('button').focus();
  }

  // Arrow keys move between buttons and stay in the column if possible.
  function move(event) {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    const from = event.target.closest('button')?.closest('th, td');
    if (!step || !from) return;
    const [down, right] = step;
    let target = null;
    if (right) {
      for (let cell = from; (cell = right > 0 ? cell.nextElementSibling : cell.previousElementSibling);) {
        if ((target = cell.querySelector('button'))) break;
      }
    } else {
      const row = table.rows[from.parentElement.rowIndex + down];
      target = row?.cells[from.cellIndex].querySelector('button') ?? row?.querySelector('button');
    }
    if (!target) return;
    event.preventDefault();
    target.focus();
  }

  // The details of a case -----------------------------------------------------

  function facts(pairs) {
    return el('dl', {}, ...pairs.filter(([, value]) => value).flatMap(
        ([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
  }

  function copyButton(text) {
    const button = el('button', {type: 'button', class: 'copy'}, 'Copy');
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
      } catch {  // No clipboard: at least select the text.
        getSelection().selectAllChildren(button.nextElementSibling);
        button.textContent = 'Selected';
      }
    });
    return button;
  }

  function levelText(letters, levels) {
    const words = {f: 'failed', p: 'passed', '-': 'not tested'};
    return Object.entries(words).map(([letter, word]) => {
      const some = levels.filter((_, i) => letters[i] === letter);
      return some.length ? `${word}: ${some.map((at) => at.level + ' ' + at.about).join(', ')}` : '';
    }).filter(Boolean).join('; ');
  }

  // 1 case, 2 cases.
  function counted(count, noun) {
    return `${count} ${noun}${count === 1 ? '' : 's'}`;
  }

  function readerDetails(row, i, isOpen) {
    const cell = row.readers[i];
    const reader = data.readers[i];
    const {difference, reject} = cell;
    const details = el('details', {'data-column': i}, el('summary', {}, reader.label + ' ', badge(row.shown[i])));
    details.open = isOpen;
    if (cell.did) details.append(el('p', {class: 'words'}, [cell.did, cell.should].filter(Boolean).join(' ')));
    details.append(facts([
      ['Observed', cell.outcome + (reject ? ': ' + [reject.class, reject.text].filter(Boolean).join(', ') : '')],
      ['Difference', difference && difference.path + ' (' + difference.level + ')'],
      ['\u2003expected', difference && el('code', {}, difference.expected)],
      ['\u2003observed', difference && el('code', {}, difference.observed)],
      ['Known failure', cell.known],
      ['Levels', levelText(cell.levels, reader.levels)],
      ['Time, memory', `${cell.seconds.toFixed(3)} s` + (cell.peak_kib ? `, ${cell.peak_kib} KiB` : '')],
    ]));
    if (cell.stderr) details.append(el('h3', {}, 'End of standard error'), el('pre', {class: 'stderr'}, cell.stderr));
    if (cell.repro) {
      details.append(el('h3', {}, 'Reproduce'), copyButton(cell.repro), el('pre', {class: 'repro'}, cell.repro));
    }
    return details;
  }

  // A hexdump with the bytes of marks highlighted.
  function hexdump(row) {
    const width = matchMedia('(max-width: 40rem)').matches ? 8 : 16;
    const bytes = row.hex.match(/../g).map((digits) => parseInt(digits, 16));
    const markOf = (at) => row.marks.find(
        ({offset, length}) => at >= offset && at < offset + Math.max(length, 1));
    const shown = (at, text) => {
      const mark = markOf(at);
      return mark ? el('mark', {title: mark.rule}, text) : text;
    };
    const pre = el('pre', {class: 'bytes', tabindex: 0});
    for (let begin = 0; begin < bytes.length; begin += width) {
      const line = bytes.slice(begin, begin + width);
      const at = row.hex_offset + begin;
      pre.append(at.toString(16).padStart(8, '0') + '  ');
      line.forEach((byte, i) => pre.append(shown(at + i, byte.toString(16).padStart(2, '0')), ' '));
      pre.append('   '.repeat(width - line.length) + ' ');
      line.forEach((byte, i) => pre.append(
          shown(at + i, byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')));
      pre.append('\n');
    }
    return pre;
  }

  function bytesOf(row) {
    if (!row.hex) return [];
    const end = row.hex_offset + row.hex.length / 2;
    const marks = row.marks.map(({offset, length, rule}) => el(
        'li', {}, el('mark', {}, `0x${offset.toString(16)}+${length}`), ' ', rule));
    return [el('h3', {}, `Bytes ${row.hex_offset} to ${end} of ${row.size}`), hexdump(row), el('ul', {}, ...marks)];
  }

  function showCase(row, column) {
    opened = {row, column};
    const close = el('button', {type: 'button'}, 'Close');
    close.addEventListener('click', () => dialog.close());
    const all = row.readers.map((cell, i) => cell && i).filter((i) => i !== null);
    const first = column ?? all.find((i) => !['pass', 'info'].includes(row.readers[i].result)) ?? all[0];
    dialog.replaceChildren(
        el('header', {}, el('h2', {id: 'case-title'}, row.case), close),
        el('div', {class: 'body'},
           el('p', {}, el('b', {}, row.title)),
           row.why ? el('p', {class: 'why'}, row.why) : '',
           el('p', {}, ...[row.verdict, row.level, row.importance, ...row.flags].flatMap((word) => [chip(word), ' '])),
           el('p', {}, 'Expected: ', el('b', {}, row.expected)),
           ...all.map((i) => readerDetails(row, i, i === first)),
           ...bytesOf(row),
           ...(row.text ? [el('h3', {}, 'The case'), el('pre', {class: 'text', tabindex: 0}, row.text)] : [])));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    save();
  }

  // The state in the URL --------------------------------------------------------

  function save() {
    const params = new URLSearchParams(Object.entries(state()).filter(([, value]) => value));
    if (opened) {
      params.set('case', opened.row.case);
      if (opened.column !== undefined) params.set('cell', data.readers[opened.column].label);
    }
    const hash = params.toString();
    history.replaceState(null, '', hash ? '#' + hash : location.pathname + location.search);
  }

  function restore() {
    const params = new URLSearchParams(location.hash.slice(1));
    for (const name of filterNames) {
      const element = form.elements[name];
      element.value = params.get(name) ?? '';
      if (element.selectedIndex === -1) element.value = '';  // No such option.
    }
    const row = byId.get(params.get('case'));
    const column = data.readers.findIndex(({label}) => label === params.get('cell'));
    show();
    if (row) {
      showCase(row, row.readers[column] ? column : undefined);
    } else if (dialog.open) {
      dialog.close();
    }
  }

  function changed() {
    save();
    show();
  }

  fillFilters();
  form.hidden = false;
  document.getElementById('keys').hidden = false;
  // For the text field, 'change' would come with the click that leaves the field,
  // and replace the clicked button.
  for (const name of filterNames) {
    form.elements[name].addEventListener(name === 'q' ? 'input' : 'change', changed);
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(changed));
  table.addEventListener('keydown', move);
  table.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.dataset.group) return toggle(button);
    const {case: id, column} = button.dataset;
    showCase(byId.get(id), column === undefined ? undefined : Number(column));
  });
  dialog.addEventListener('close', () => {
    opened = null;
    save();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();  // The backdrop.
  });
  addEventListener('hashchange', restore);
  restore();
})();
