// The table of the leaders: its filter, its groups, and the rows of those that are open.
import { barOf } from './bars.js';
import { byName, count, create, dress, element, labelled, placeChildren, say } from './dom.js';
import { leaseEnd, matcherOf, partitionCount, rows, totals } from './rows.js';
import { held } from './state.js';
import { colourOf } from './timeline.js';

/** How many rows a group shows at first, and more with each request. */
const rowsAtOnce = 100;
/** With more partitions there is a filter. */
const partitionsUnfiltered = 10;
/** With more partitions they are grouped by leader, and the groups are closed. */
const partitionsUngrouped = 50;
const [table, filter, grouping] = ['leaders', 'filter', 'grouping'].map(element);
const boxes = { isLeaderless: element('only-leaderless'), isTroubled: element('only-troubled') };
const states = ['Without a leader', 'In trouble', 'Led'];

/** The groups by key, and the group of each partition that matches the filter. */
const groups = new Map();
const groupOf = new Map();
/** The elements of the rows that are shown, by partition. */
const shownRows = new Map();
let matches = () => true;
let areOpen = true;
/** The filter or the grouping differs from what is shown. */
let isNew = true;
let isGroupingChosen = false;

/** Calls `listener` once the reader has changed the filter, the grouping, or a group. */
export function onChoice(listener) {
  grouping.addEventListener('input', () => {
    isGroupingChosen = true;
  });
  for (const control of [filter, grouping, ...Object.values(boxes)])
    control.addEventListener('input', () => {
      isNew = true;
      listener();
    });
  table.addEventListener('click', ({ target }) => {
    const group = target.closest('button')?.group;
    if (group === undefined) return;
    if (target.closest('tr') === group.more) group.limit += rowsAtOnce;
    else group.isOpen = !isOpen(group);
    group.isDirty = true;
    listener();
  });
}

/** Returns whether a partition matches the filter. */
export const isShown = (partition) => groupOf.has(partition);
/** Returns whether a text matches the words of the filter; with a box, only partitions do. */
export function matchesFilter(text) {
  const hasBox = Object.values(boxes).some(({ checked }) => checked);
  return !hasBox && matcherOf(filter.value, [])({ text: text.toLowerCase() });
}

/** Shows the rows of these partitions as they are now. Returns whether all were arranged again. */
export function showLeaders(partitions) {
  const total = partitionCount();
  element('tools').hidden = total <= partitionsUnfiltered;
  chooseGrouping(total);
  const isRearranged = isNew;
  isNew = false;
  if (isRearranged) arrangeAll();
  else for (const partition of partitions) arrange(partition);
  for (const partition of partitions) shownRows.get(partition)?.update(rows.get(partition));
  layOutTable();
  showCounts(total);
  return isRearranged;
}

function chooseGrouping(total) {
  const usual = total > partitionsUngrouped ? 'leader' : 'none';
  if (isGroupingChosen || grouping.value === usual) return;
  grouping.value = usual;
  isNew = true;
}

function arrangeAll() {
  const required = Object.keys(boxes).filter((name) => boxes[name].checked);
  matches = matcherOf(filter.value, required);
  groupOf.clear();
  for (const group of groups.values()) {
    group.partitions.clear();
    Object.assign(group, { isDirty: true, sorted: undefined });
  }
  for (const partition of rows.keys()) arrange(partition);
  areOpen = grouping.value === 'none' || groupOf.size <= partitionsUngrouped;
}

/** Moves a partition to the group where it belongs now. */
function arrange(partition) {
  const row = rows.get(partition);
  const before = groupOf.get(partition);
  const next = row !== undefined && matches(row) ? groupOfRow(row) : undefined;
  // The numbers in the title of the group may differ also if the row stays.
  if (next !== undefined) next.isDirty = true;
  if (before === next) return;
  for (const group of [before, next].filter(Boolean))
    Object.assign(group, { isDirty: true, sorted: undefined });
  before?.partitions.delete(partition);
  next?.partitions.add(partition);
  if (next === undefined) groupOf.delete(partition);
  else groupOf.set(partition, next);
}

function groupOfRow({ member, isLeaderless, isTroubled }) {
  const by = grouping.value;
  if (by === 'none') return groupWith('all', '');
  if (by === 'state' || isLeaderless) {
    const state = isLeaderless ? 0 : isTroubled ? 1 : 2;
    return groupWith(`state ${state}`, states[state]);
  }
  return groupWith(`leader ${member}`, member, member);
}

function groupWith(key, title, member) {
  if (!groups.has(key)) groups.set(key, buildGroup(key, title, member));
  return groups.get(key);
}

const isOpen = (group) => group.isOpen ?? areOpen;

function buildGroup(key, title, member) {
  const body = create('tbody', undefined, { role: 'rowgroup' });
  const group = { key, title, member, body, partitions: new Set(), limit: rowsAtOnce };
  const moreRow = create('tr', undefined, { role: 'row' });
  const moreCell = create('td', undefined, { role: 'cell', colspan: '5' });
  const more = create('button', '', { type: 'button' });
  moreCell.append(more);
  moreRow.append(moreCell);
  more.group = group;
  Object.assign(group, { more: moreRow, moreButton: more });
  if (title !== '') group.head = buildHead(group);
  return group;
}

function buildHead(group) {
  const { title, member } = group;
  const head = create('tr', undefined, { role: 'row', class: 'group' });
  const name = create('th', undefined, { role: 'rowheader', scope: 'rowgroup', colspan: '2' });
  const button = create('button', undefined, { type: 'button' });
  if (member !== undefined) button.append(dotOf(member));
  button.append(create('span', title, title === states[0] ? { class: 'none' } : {}));
  name.append(button);
  const lease = create('td', undefined, { role: 'cell' });
  const leaseOf = () => ({ member, endsMs: held.lease.get(member) });
  const bar = member === undefined ? [] : barOf(`remaining lease of ${member}`, leaseOf);
  const summary = create('td', '', { role: 'cell', colspan: '2' });
  head.append(name, lease, summary);
  button.group = group;
  head.update = () => {
    const troubled = [...group.partitions].filter((one) => rows.get(one).isTroubled).length;
    const trouble = troubled > 0 ? `, ${troubled} in trouble` : '';
    say(summary, `${count(group.partitions.size, 'partition', 'partitions')}${trouble}`);
    dress(summary, troubled > 0 && 'bad');
    const expanded = String(isOpen(group));
    if (button.ariaExpanded !== expanded) button.ariaExpanded = expanded;
    const hasLease = held.lease.has(member);
    if (hasLease !== (lease.firstChild !== null)) lease.replaceChildren(...(hasLease ? bar : []));
  };
  return head;
}

/** The colour of a member, which its terms have as well. */
export function dotOf(member) {
  const dot = create('span', undefined, { class: 'dot' });
  dot.style.background = colourOf(member);
  return dot;
}

function layOut(group) {
  group.isDirty = false;
  group.head?.update();
  group.sorted ??= [...group.partitions].sort((a, b) => a - b);
  const sorted = isOpen(group) ? group.sorted : [];
  const nodes = sorted.slice(0, group.limit).map(rowFor);
  const hidden = sorted.length - nodes.length;
  say(group.moreButton, `Show ${Math.min(hidden, rowsAtOnce)} more of ${hidden}`);
  const head = group.head === undefined ? [] : [group.head];
  placeChildren(group.body, [...head, ...nodes, ...(hidden > 0 ? [group.more] : [])]);
}

function layOutTable() {
  const dirty = [...groups.values()].filter((group) => group.isDirty);
  if (dirty.length === 0) return;
  for (const group of dirty) layOut(group);
  for (const [key, { partitions }] of groups) if (partitions.size === 0) groups.delete(key);
  const order = ({ key, member }) => (member === undefined ? key : 'zz');
  const ordered = [...groups.values()].sort(
    (a, b) => byName(order(a), order(b)) || byName(a.title, b.title),
  );
  placeChildren(table, [table.tHead, ...ordered.map(({ body }) => body)]);
  for (const [partition, row] of shownRows) if (!row.isConnected) shownRows.delete(partition);
}

function showCounts(total) {
  const hasFilter = filter.value.trim() !== '' || Object.values(boxes).some((box) => box.checked);
  const text = `${groupOf.size} of ${count(total, 'partition matches', 'partitions match')}`;
  say(element('matches'), hasFilter ? text : '');
  for (const [name, total] of Object.entries(totals)) say(element(`${name}-total`), String(total));
}

function rowFor(partition) {
  const known = shownRows.get(partition);
  if (known !== undefined) return known;
  const row = create('tr', undefined, { role: 'row' });
  row.update = buildRow(row, partition);
  labelled(row, table);
  shownRows.set(partition, row);
  row.update(rows.get(partition));
  return row;
}

function buildRow(row, partition) {
  const [name, lease, token] = [create('td'), create('td'), create('td', '', { class: 'token' })];
  const names = create('td', '', { class: 'roles' });
  row.append(create('th', String(partition), { scope: 'row' }), name, lease, token, names);
  const label = `remaining lease of partition ${partition}`;
  let shown;
  let bar;
  const showLease = (now) => {
    if (now.lease === undefined) return say(lease, now.member === undefined ? '–' : 'unknown');
    bar ??= barOf(label, () => ({ member: shown.member, endsMs: leaseEnd(shown) }));
    if (bar[0].parentNode !== lease) lease.replaceChildren(...bar);
  };
  return (now) => {
    if (shown === now || now === undefined) return;
    shown = now;
    say(names, now.roles || '–');
    dress(names, 'roles', now.roles === '' && 'empty');
    showName(name, now);
    say(token, now.token ?? '–');
    showLease(now);
  };
}

function showName(cell, { member = 'no leader', self, gone, isLeaderless, isTroubled }) {
  say(cell, gone ? `${member} (${gone})` : member);
  if (isLeaderless) dress(cell, 'none');
  else dress(cell, self && 'self', isTroubled && 'troubled');
}
