const element = (id) => document.getElementById(id);
const create = (name, text, attributes = {}) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};
const row = (...cells) => {
  const line = create('tr');
  line.append(...cells);
  return line;
};
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
const time = (ms) => new Date(ms).toLocaleTimeString();
const duration = (ms) => {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** The greatest remaining lease that was seen for each partition: nearly its length. */
const leaseMs = new Map();
/** The bars, and when their leases end by the clock of this page. */
let bars = [];
let hasState = false;

function showSummary({ ok, partitions, leaders }) {
  const led = `${leaders.length} of ${count(partitions, 'partition has', 'partitions have')} a leader`;
  const text = ok ? `${led} · healthy` : `${led} · troubles`;
  const good = ok && leaders.length === partitions;
  const summary = element('summary');
  // A live region is read aloud whenever it changes.
  if (summary.textContent !== text) summary.textContent = text;
  summary.className = good ? 'good' : 'bad';
}

function showProblems({ troubles, warnings }) {
  const problems = [...troubles, ...warnings];
  element('problems').hidden = problems.length === 0;
  element('problem-list').replaceChildren(
    ...problems.map(({ code, message, sinceMs, partition }) => {
      const where = partition === undefined ? '' : `partition ${partition}: `;
      return create('li', `${where}${message} (${code}, since ${time(sinceMs)})`);
    }),
  );
}

function showLeaders({ partitions, leaders }) {
  const byPartition = new Map(leaders.map((leader) => [leader.partition, leader]));
  bars = [];
  element('leaders').replaceChildren(
    ...Array.from({ length: partitions }, (_, partition) =>
      leaderRow(partition, byPartition.get(partition)),
    ),
  );
  element('lease-note').textContent = leaders.some(({ self }) => self)
    ? 'The lease of another member is known only to that member.'
    : 'A lease is shown on the page that its leader serves.';
}

function leaderRow(partition, leader) {
  const head = create('th', String(partition), { scope: 'row' });
  if (leader === undefined)
    return row(
      head,
      create('td', 'no leader', { class: 'none' }),
      create('td', '–'),
      create('td', '–'),
    );
  const name = create('td', leader.member, leader.self ? { class: 'self' } : {});
  return row(head, name, leaseCell(leader), create('td', leader.token, { class: 'token' }));
}

function leaseCell({ partition, remainingMs }) {
  if (remainingMs === undefined) return create('td', '–');
  leaseMs.set(partition, Math.max(leaseMs.get(partition) ?? 0, remainingMs));
  const cell = create('td');
  const bar = create('progress', undefined, {
    max: String(leaseMs.get(partition)),
    value: String(remainingMs),
    'aria-label': `remaining lease of partition ${partition}`,
  });
  const text = create('span', ` ${duration(remainingMs)}`);
  cell.append(bar, text);
  bars.push({ bar, text, untilMs: performance.now() + remainingMs });
  return cell;
}

function showMatrix({ member, partitions, leaders, terms }) {
  const names = [...new Set([member, ...terms.map((term) => term.member)])].sort();
  const columns = Array.from({ length: partitions }, (_, index) => index);
  element('matrix-head').replaceChildren(
    row(
      create('th', 'Member', { scope: 'col' }),
      ...columns.map((index) => create('th', String(index), { scope: 'col' })),
    ),
  );
  element('matrix').replaceChildren(
    ...names.map((name) =>
      row(
        create('th', name, { scope: 'row' }),
        ...columns.map((index) => {
          const leads = leaders.some((one) => one.partition === index && one.member === name);
          return create('td', leads ? '●' : '·', {
            'aria-label': leads ? 'leads' : 'does not lead',
          });
        }),
      ),
    ),
  );
}

function showTerms({ atMs, partitions, terms }) {
  element('terms').replaceChildren(
    ...terms
      .toReversed()
      .map(({ partition, member, fromMs, untilMs, end }) =>
        row(
          create('td', time(fromMs)),
          create('td', String(partition)),
          create('td', member),
          create('td', duration((untilMs ?? atMs) - fromMs)),
          create('td', untilMs === undefined ? 'leads' : (end ?? 'another leader, or none')),
        ),
      ),
  );
  element('timeline').replaceChildren(timeline(atMs, partitions, terms));
}

const svg = (name, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
};

/** About the width of a letter in the timeline. Pixels. */
const letterWidth = 8;

/** One lane for each partition: terms from left to right, with a colour for each member. */
function timeline(atMs, partitions, terms) {
  const [lane, gap, left] = [20, 6, 30];
  const width = element('timeline').clientWidth;
  const fromMs = Math.min(atMs - 10_000, ...terms.map((term) => term.fromMs));
  const x = (ms) => left + ((ms - fromMs) / (atMs - fromMs)) * (width - left);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${partitions * (lane + gap) + 16}` });
  for (let index = 0; index < partitions; index += 1) {
    const y = index * (lane + gap);
    picture.append(
      svg('text', { x: 0, y: y + 15 }, String(index)),
      svg('rect', { class: 'lane', x: left, y, width: width - left, height: lane, rx: 4 }),
    );
  }
  for (const term of terms) {
    const [from, until] = [x(term.fromMs), x(term.untilMs ?? atMs)];
    const box = { x: from, width: Math.max(2, until - from - 1), height: lane, rx: 4 };
    const bar = svg('rect', {
      ...box,
      y: term.partition * (lane + gap),
      fill: colour(term.member),
    });
    bar.append(svg('title', {}, `${term.member}, term ${term.token}`));
    picture.append(bar);
    if (box.width > term.member.length * letterWidth + 12)
      picture.append(
        svg(
          'text',
          { class: 'name', x: from + 6, y: term.partition * (lane + gap) + 14 },
          term.member,
        ),
      );
  }
  const y = partitions * (lane + gap) + 12;
  picture.append(
    svg('text', { x: left, y }, time(fromMs)),
    svg('text', { x: width, y, 'text-anchor': 'end' }, 'now'),
  );
  return picture;
}

/**
 * A colour that depends on the name only: blue, green or violet, because red and yellow would look
 * like a trouble, and dark enough for white letters.
 */
function colour(name) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)) % 1000;
  return `hsl(${150 + ((hash * 7) % 150)} 50% 36%)`;
}

function showGuarantee({ guarantees }) {
  const { exclusive, failoverMsMax, assumes } = guarantees;
  const rule = exclusive ? 'At most one leader at a time' : 'Two leaders are possible for a while';
  element('guarantee').textContent =
    `${rule}, as long as these assumptions hold: ${assumes.join(', ')}. ` +
    `After a crash, a new leader within ${failoverMsMax} ms, plus round trips.`;
}

function show(state) {
  hasState = true;
  showSummary(state);
  showProblems(state);
  showLeaders(state);
  showMatrix(state);
  showTerms(state);
  showGuarantee(state);
}

function animate() {
  for (const { bar, text, untilMs } of bars) {
    const remainingMs = Math.max(0, untilMs - performance.now());
    bar.value = remainingMs;
    text.textContent = ` ${duration(remainingMs)}`;
  }
  requestAnimationFrame(animate);
}

// The same address with a query: it is right wherever the page is mounted.
const states = new EventSource('?events');
states.addEventListener('message', ({ data }) => show(JSON.parse(data)));
states.addEventListener('error', () => {
  const summary = element('summary');
  summary.textContent = hasState
    ? 'The server does not answer. What is shown may be outdated.'
    : 'The server does not answer.';
  summary.className = 'bad';
});
requestAnimationFrame(animate);
