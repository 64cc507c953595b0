// Shows the states that the server sends.
import { count, create, duration, element, keepRows, say, time } from './dom.js';
import { beginningsOf, colourOf, timeline, wordsOf } from './timeline.js';

/** The greatest remaining lease that was seen for each partition: nearly its length. */
const leaseMs = new Map();
/** The bars by partition, and when their leases end by the clock of this page. */
const bars = new Map();
let hasState = false;
let shownNews;
const secret = document.querySelector('meta[name="secret"]')?.content;

function showSummary({ ok, partitions, leaders, troubles }) {
  const leading = leaders.filter(({ gone }) => gone === undefined).length;
  const led =
    partitions === undefined
      ? 'no member has ever opened this group'
      : `${leading} of ${count(partitions, 'partition has', 'partitions have')} a leader`;
  const bad = troubles.length > 0 ? count(troubles.length, 'trouble', 'troubles') : 'waiting';
  const state = ok ? 'healthy' : bad;
  const summary = element('summary');
  say(summary, `${led} · ${state}`);
  summary.className = ok && leading === partitions ? 'good' : 'bad';
}

function showProblems({ troubles, warnings }) {
  const kinds = [
    ...troubles.map((problem) => [problem, 'trouble']),
    ...warnings.map((problem) => [problem, 'warning']),
  ];
  element('problems').hidden = kinds.length === 0;
  element('problems').className = troubles.length > 0 ? 'trouble' : 'warning';
  const lines = kinds.map(([{ code, message, sinceMs, partition }, kind]) => {
    const where = partition === undefined ? '' : `partition ${partition}: `;
    return `${kind}: ${where}${message} (${code}, since ${time(sinceMs)})`;
  });
  const list = element('problem-list');
  if (list.dataset.text === lines.join('\n')) return;
  list.dataset.text = lines.join('\n');
  list.replaceChildren(...lines.map((line) => create('li', line)));
}

function showLeaders({ partitions = 0, leaders, roles, knowsAllLeases }) {
  const byPartition = new Map(leaders.map((leader) => [leader.partition, leader]));
  const namesOf = new Map(roles.map(({ partition, names }) => [partition, names.join(', ')]));
  const items = Array.from({ length: partitions }, (_, partition) => ({
    partition,
    leader: byPartition.get(partition),
    roles: namesOf.get(partition) ?? '–',
  }));
  element('leaders').parentNode.classList.toggle('plain', roles.length === 0);
  keepRows(element('leaders'), items, ({ partition }) => partition, buildLeaderRow);
  say(
    element('lease-note'),
    knowsAllLeases
      ? 'A bar is what is left of a lease unless its leader renews it.'
      : 'A bar is what is left of a lease unless its leader renews it. If the leader is another ' +
          'process, it is the time after which the process that serves this page regards the lease ' +
          'as lapsed; the leader itself stops earlier. “Unknown”: this backend does not show leases ' +
          'of other processes.',
  );
}

function buildLeaderRow(row, { partition }) {
  const [name, lease, token] = [create('td'), create('td'), create('td', '', { class: 'token' })];
  const label = `remaining lease of partition ${partition}`;
  const bar = create('progress', undefined, { 'aria-label': label });
  const text = create('span', '', { class: 'left' });
  const names = create('td', '', { class: 'roles' });
  row.append(create('th', String(partition), { scope: 'row' }), name, lease, token, names);
  const showLease = (remainingMs) => {
    leaseMs.set(partition, Math.max(leaseMs.get(partition) ?? 0, remainingMs));
    bar.max = leaseMs.get(partition);
    if (bar.parentNode !== lease) lease.replaceChildren(bar, text);
    bars.set(partition, { bar, text, untilMs: performance.now() + remainingMs });
    moveBars();
  };
  return ({ leader = noLeader, roles }) => {
    const { gone, remainingMs } = leader;
    say(names, roles);
    showName(name, leader, gone !== undefined || leader === noLeader);
    say(token, leader.token);
    if (remainingMs !== undefined) return showLease(remainingMs);
    bars.delete(partition);
    lease.textContent = leader === noLeader ? '–' : 'unknown';
  };
}

function showName(cell, { member, self, gone }, isLeaderless) {
  say(cell, gone ? `${member} (${gone})` : member);
  cell.className = isLeaderless ? 'none' : self ? 'self' : '';
}

const noLeader = { member: 'no leader', token: '–' };

function showMembers({ partitions = 0, leaders, members }) {
  const columns = Array.from({ length: partitions }, (_, index) => index);
  const hasControls = members.some(({ controls }) => controls !== undefined);
  const hasStates = members.some(({ state }) => state !== undefined);
  const marks = columns.map((index) => (index === 0 ? 'Leads 0' : String(index)));
  const heads = ['Member', ...marks, ...(hasStates ? ['State'] : [])];
  if (hasControls) heads.push('Actions');
  if (element('matrix-head').dataset.text !== heads.join()) {
    element('matrix-head').dataset.text = heads.join();
    const head = create('tr');
    head.append(...heads.map((text) => create('th', text, { scope: 'col' })));
    for (const index of columns)
      head.children[index + 1].setAttribute('aria-label', `leads partition ${index}`);
    element('matrix-head').replaceChildren(head);
    element('matrix').replaceChildren();
  }
  const items = members.map((member) => ({ member, columns, leaders, hasStates }));
  keepRows(element('matrix'), items, ({ member }) => member.name, buildMemberRow);
  element('member-note').hidden = hasControls;
}

function buildMemberRow(row, { member, columns, hasStates }) {
  const head = create('th', undefined, { scope: 'row' });
  head.append(create('span', '', { class: 'dot' }), create('span', member.name));
  head.firstChild.style.background = colourOf(member.name);
  const cells = columns.map(() => create('td', '', { class: 'mark' }));
  row.append(head, ...cells);
  const state = create('td');
  const buttons = create('td', undefined, { class: 'buttons' });
  if (hasStates) row.append(state);
  if (member.controls !== undefined) row.append(buttons);
  return ({ member: { name, controls, ...member }, leaders }) => {
    for (const [index, cell] of cells.entries()) {
      const leads = leaders.some(
        (one) => one.partition === index && one.member === name && one.gone === undefined,
      );
      say(cell, leads ? '●' : '·');
      cell.setAttribute('aria-label', leads ? 'leads' : 'does not lead');
    }
    say(state, stateText(member));
    if (controls !== undefined) showButtons(buttons, name, controls);
  };
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

function showNews(text) {
  element('news').hidden = text === undefined;
  say(element('news'), text ?? '');
}

function showTerms({ atMs, partitions = 0, terms }) {
  const beginnings = beginningsOf(terms);
  keepRows(
    element('terms'),
    terms.toReversed().map((term) => ({ term, beginning: beginnings.get(term), atMs })),
    ({ term }) => `${term.partition} ${term.token}`,
    buildTermRow,
  );
  const lanes = element('timeline');
  lanes.replaceChildren(timeline(lanes.clientWidth, atMs, partitions, terms));
}

function buildTermRow(row, { term, beginning }) {
  const [lasted, end] = [create('td'), create('td')];
  row.append(
    create('td', time(term.fromMs)),
    create('td', String(term.partition)),
    create('td', term.member),
    create('td', wordsOf(beginning)),
    lasted,
    end,
  );
  return ({ term: { fromMs, untilMs, end: words }, atMs }) => {
    say(lasted, duration((untilMs ?? atMs) - fromMs));
    say(end, untilMs === undefined ? 'leads' : (words ?? 'not known here'));
  };
}

function showGuarantee({ guarantees }) {
  const { exclusive, failoverMsMax, assumes } = guarantees;
  const assumptions = assumes.join(', ') || 'none';
  const rule = exclusive
    ? `At most one leader at a time, as long as these assumptions hold: ${assumptions}.`
    : `Two leaders are possible for a while. Assumptions: ${assumptions}.`;
  const failover =
    failoverMsMax === 'unbounded'
      ? 'After a crash, there is no limit for the time without a leader.'
      : `After a crash, a new leader within ${failoverMsMax} ms, plus round trips.`;
  say(element('guarantee'), `${rule} ${failover}`);
}

function show(state) {
  hasState = true;
  showSummary(state);
  showProblems(state);
  showLeaders(state);
  showMembers(state);
  showTerms(state);
  showGuarantee(state);
  // An answer to a button stays until there is other news.
  if (state.news !== shownNews) showNews(state.news);
  shownNews = state.news;
}

function moveBars() {
  for (const { bar, text, untilMs } of bars.values()) {
    const remainingMs = Math.max(0, untilMs - performance.now());
    bar.value = remainingMs;
    say(text, duration(remainingMs));
  }
}

const prefersStill = matchMedia('(prefers-reduced-motion: reduce)');
function animate() {
  if (!prefersStill.matches) moveBars();
  requestAnimationFrame(animate);
}

// The same address with a query: it is right wherever the page is mounted.
const states = new EventSource('?events');
states.addEventListener('message', ({ data }) => show(JSON.parse(data)));
states.addEventListener('error', () => {
  const summary = element('summary');
  say(
    summary,
    hasState
      ? 'The server does not answer. What is shown may be outdated.'
      : 'The server does not answer.',
  );
  summary.className = 'bad';
});
requestAnimationFrame(animate);
