// Small tools for the page: elements, words for numbers, and rows that are changed in place.
export const element = (id) => document.getElementById(id);
export const create = (name, text, attributes = {}) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};
export const svg = (name, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
};
/** Changes the text only if it differs: a live region is read aloud at each change. */
export const say = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
/** Changes the class only if it differs. */
export const dress = (node, ...classes) => {
  const name = classes.filter(Boolean).join(' ');
  if (node.className !== name) node.className = name;
};
export const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const clock = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
/** The time of day, with the date if it was on another day: a member may run for weeks. */
export const time = (ms) => {
  const at = new Date(ms);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString([], isToday ? clock : { month: 'short', day: 'numeric', ...clock });
};
export const duration = (ms) => {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Shows the latest event, in words. */
export function showNews(text) {
  element('news').hidden = text === undefined;
  say(element('news'), text ?? '');
}

/** Makes the children of an element these. Those that stay are not touched, so that they keep the focus. */
export function placeChildren(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const node of nodes)
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
}

const tableRoles = { table: 'table', 'thead, tbody': 'rowgroup', tr: 'row', th: 'columnheader' };
for (const [selector, role] of Object.entries(tableRoles))
  for (const node of document.querySelectorAll(selector)) node.setAttribute('role', role);

/**
 * Gives each cell its role and the title of its column. On a narrow page the cells are not a table for
 * the browser, so the roles say what they are, and the titles are shown in the cells.
 */
export function labelled(row, table) {
  for (const [index, cell] of [...row.children].entries()) {
    cell.setAttribute('role', cell.localName === 'th' ? 'rowheader' : 'cell');
    cell.dataset.label = table.tHead.rows[0].cells[index].textContent;
  }
}

/**
 * Makes the rows of a table body those of `items`, by their keys. A row that exists is updated, so
 * that a button keeps the focus and a screen reader its place.
 */
export function keepRows(body, items, keyOf, build) {
  const kept = new Map([...body.children].map((row) => [row.dataset.key, row]));
  const rows = items.map((item) => {
    const key = String(keyOf(item));
    const known = kept.get(key);
    const row = known ?? create('tr', undefined, { role: 'row', 'data-key': key });
    row.update ??= build(row, item);
    if (known === undefined) labelled(row, body.parentNode);
    row.update(item);
    return row;
  });
  placeChildren(body, rows);
}
