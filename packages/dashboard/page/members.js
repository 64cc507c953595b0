// The table of the members: what each leads and does, and the buttons of the demo.
import {
  byName,
  count,
  create,
  dress,
  element,
  labelled,
  placeChildren,
  say,
  showNews,
  time,
} from './dom.js';
import { dotOf, isShown, matchesFilter } from './leaders.js';
import { partitionsLedBy } from './rows.js';
import { changed, held } from './state.js';

/** How many ranges of partitions are listed of a member. */
const rangesMax = 6;
const memberTable = element('members');
const memberRows = new Map();
let memberNames = [];
const secret = document.querySelector('meta[name="secret"]')?.content;

/** Shows what has changed of the members; `leading` are those that lead other partitions now. */
export function showMembers(leading, isRearranged) {
  if (changed.member.size > 0) readMembers();
  const dirty = isRearranged ? memberNames : new Set([...changed.member, ...leading]);
  if (dirty.size === 0) return;
  for (const name of dirty) memberRows.get(name)?.update();
  placeChildren(memberTable.tBodies[0], memberNames.filter(isMemberShown).map(memberRowFor));
  for (const [name, row] of memberRows) if (!row.isConnected) memberRows.delete(name);
}

function readMembers() {
  memberNames = [...held.member.keys()].sort(byName);
  const lack = (property) => [...held.member.values()].every((one) => one[property] === undefined);
  memberTable.classList.toggle('no-states', lack('state'));
  memberTable.classList.toggle('no-buttons', lack('controls'));
  element('member-note').hidden = !lack('controls');
  showStanding([...held.member.values()]);
}

/** Shows the first question of somebody on call: is anybody standing by? */
function showStanding(members) {
  const doing = (word) => members.filter(({ state = '' }) => state.startsWith(word)).length;
  const [leading, waiting, others] = [doing('leads'), doing('stands by'), doing('gone')];
  const present = leading + waiting;
  element('standing').hidden = present + others === 0;
  const lead = count(leading, 'leads', 'lead');
  const standBy = waiting === 0 ? 'none stands by' : count(waiting, 'stands by', 'stand by');
  const standing = `${count(present, 'member', 'members')}: ${lead}, ${standBy}.`;
  say(element('standing'), present === 0 ? 'No member takes part.' : standing);
}

function isMemberShown(name) {
  const { state = '' } = held.member.get(name);
  return [...partitionsLedBy(name)].some(isShown) || matchesFilter(`${name}\n${state}`);
}

function memberRowFor(name) {
  const known = memberRows.get(name);
  if (known !== undefined) return known;
  const row = create('tr', undefined, { role: 'row', 'data-key': name });
  row.update = buildMemberRow(row, name);
  labelled(row, memberTable);
  memberRows.set(name, row);
  row.update();
  return row;
}

function buildMemberRow(row, name) {
  const head = create('th', undefined, { scope: 'row' });
  head.append(dotOf(name), create('span', name));
  const leads = create('td', '', { class: 'leads' });
  const state = create('td', '', { class: 'state' });
  const buttons = create('td', undefined, { class: 'buttons' });
  row.append(head, leads, state, buttons);
  return () => {
    const member = held.member.get(name);
    if (member === undefined) return;
    say(leads, rangesOf([...partitionsLedBy(name)]));
    say(state, stateText(member));
    dress(state, 'state', member.trouble !== undefined && 'bad');
    if (member.controls !== undefined) showButtons(buttons, name, member.controls);
  };
}

/** Returns the numbers of partitions, such as `4: 0–2, 7`. */
function rangesOf(partitions) {
  const ranges = [];
  for (const partition of partitions.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.to === partition - 1) last.to = partition;
    else ranges.push({ from: partition, to: partition });
  }
  const listed = ranges.slice(0, rangesMax);
  const words = listed.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = ranges.length > listed.length ? ', …' : '';
  if (partitions.length === 0) return '–';
  return partitions.length === 1 ? words[0] : `${partitions.length}: ${words.join(', ')}${more}`;
}

function stateText({ state = '', sinceMs }) {
  return sinceMs === undefined ? state : `${state}, since ${time(sinceMs)}`;
}
/** Buttons stay the same elements while their names do, so that they keep the focus. */
function showButtons(cell, member, controls) {
  const names = controls.map(({ name }) => name).join();
  if (cell.dataset.names !== names) {
    cell.dataset.names = names;
    const focused = [...cell.children].indexOf(document.activeElement);
    cell.replaceChildren(...controls.map(({ name }) => buttonFor(member, name)));
    if (focused >= 0) cell.children[focused]?.focus();
  }
  for (const [index, { refusal }] of controls.entries()) {
    const button = cell.children[index];
    // A disabled button cannot be reached by the keyboard, so its reason would stay hidden.
    button.setAttribute('aria-disabled', String(refusal !== undefined));
    button.title = refusal ?? '';
    button.refusal = refusal;
  }
}

function buttonFor(member, name) {
  const button = create('button', name, { type: 'button', 'aria-label': `${name} ${member}` });
  button.addEventListener('click', () => {
    if (button.refusal !== undefined) showNews(`${name} ${member}: ${button.refusal}`);
    else void act(member, name);
  });
  return button;
}

async function act(member, control) {
  const headers = { 'content-type': 'application/json', 'x-page-secret': secret };
  const body = JSON.stringify({ member, control });
  const response = await fetch('', { method: 'POST', headers, body }).catch(() => undefined);
  if (response?.ok !== true)
    showNews(`${control} ${member}: ${(await response?.text()) ?? 'the server does not answer'}`);
}
