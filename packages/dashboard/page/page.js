// Shows the states that the server sends: what has changed, once for each frame of the browser.
import { moveBars } from './bars.js';
import { count, create, dress, element, say, showNews, time } from './dom.js';
import { onChoice, showLeaders } from './leaders.js';
import { showMembers } from './members.js';
import { partitionCount, renewRows, totals } from './rows.js';
import { changed, forgetChanges, held, receive, serverMs } from './state.js';
import { showTerms } from './terms.js';

/** How often bars move: their text shows tenths of a second, of leases of seconds. Milliseconds. */
const barMs = 250;
/** The terms are drawn at most this often. Milliseconds. */
const termsMs = 500;
/** The time after which it shows how long the terms last by then. Milliseconds. */
const ageMs = 1000;
let shownNews;
let isPlanned = false;
let termsShownMs = -termsMs;
let areTermsOld = true;
let areTermsPlanned = false;

function showSummary({ ok, partitions }, { troubles }) {
  const leading = partitionCount() - totals.isLeaderless;
  const led =
    partitions === undefined
      ? 'no member has ever opened this group'
      : `${leading} of ${count(partitions, 'partition has', 'partitions have')} a leader`;
  const bad = troubles.length > 0 ? count(troubles.length, 'trouble', 'troubles') : 'waiting';
  // A partition may have no leader for a while before that is a trouble.
  const state = ok ? (leading === partitions ? 'healthy' : 'no trouble yet') : bad;
  const summary = element('summary');
  say(summary, `${led} · ${state}`);
  dress(summary, ok && leading === partitions ? 'good' : 'bad');
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

function showLeaseNote({ knowsAllLeases }) {
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

/** Shows the terms if they have changed, and how long they last; not for each of many changes. */
function showTermsInTime() {
  const nowMs = performance.now();
  areTermsOld ||= changed.term.size > 0 || nowMs - termsShownMs >= ageMs;
  if (!areTermsOld) return;
  if (nowMs - termsShownMs < termsMs) {
    if (!areTermsPlanned) setTimeout(plan, termsMs);
    areTermsPlanned = true;
    return;
  }
  areTermsOld = false;
  areTermsPlanned = false;
  termsShownMs = nowMs;
  const terms = [...held.term.values()].sort((a, b) => a.fromMs - b.fromMs);
  showTerms({ ...held.group.get(''), atMs: serverMs, terms });
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

function render() {
  isPlanned = false;
  const group = held.group.get('');
  if (group === undefined) return;
  const problems = held.problems.get('') ?? { troubles: [], warnings: [] };
  const { partitions, members } = renewRows();
  const isRearranged = showLeaders(partitions);
  if (isRearranged || partitions.size + changed.member.size > 0) showMembers(members, isRearranged);
  if (changed.problems.size > 0) showProblems(problems);
  if (changed.group.size > 0) {
    showLeaseNote(group);
    showGuarantee(group);
    // An answer to a button stays until there is other news.
    if (group.news !== shownNews) showNews(group.news);
    shownNews = group.news;
  }
  showSummary(group, problems);
  showTermsInTime();
  if (changed.lease.size + partitions.size > 0) moveBars();
  forgetChanges();
}

/** Shows all changes of a frame together, however many messages there are. */
function plan() {
  if (!isPlanned) requestAnimationFrame(render);
  isPlanned = true;
}

onChoice(plan);
const prefersStill = matchMedia('(prefers-reduced-motion: reduce)');
setInterval(() => {
  if (!prefersStill.matches && !document.hidden) moveBars();
}, barMs);

// The same address with a query: it is right wherever the page is mounted.
const messages = new EventSource('?events');
messages.addEventListener('message', ({ data }) => {
  receive(JSON.parse(data));
  plan();
});
messages.addEventListener('error', () => {
  const summary = element('summary');
  say(
    summary,
    held.group.size > 0
      ? 'The server does not answer. What is shown may be outdated.'
      : 'The server does not answer.',
  );
  summary.className = 'bad';
});
