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
export const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
export const time = (ms) => new Date(ms).toLocaleTimeString();
export const duration = (ms) => {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/**
 * Makes the rows of a table body those of `items`, by their keys. A row that exists is updated, so
 * that a button keeps the focus and a screen reader its place.
 */
export function keepRows(body, items, keyOf, build) {
  const kept = new Map([...body.children].map((row) => [row.dataset.key, row]));
  const rows = items.map((item) => {
    const key = String(keyOf(item));
    const known = kept.get(key);
    const row = known ?? create('tr', undefined, { 'data-key': key });
    row.update ??= build(row, item);
    row.update(item);
    return row;
  });
  const isSame =
    rows.length === body.children.length && rows.every((row, i) => row === body.children[i]);
  if (!isSame) body.replaceChildren(...rows);
}
