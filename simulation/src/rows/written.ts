// Judges what members write about sessions by the text of the rules, from what they have received. A
// wrong change is a violation at once, and not only when two members lead.
import type { Exchanged, Input, NamedText, RowChange } from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import { forgetOldest } from '../relation/learning.ts';
import { limitOf } from './scenario.ts';
import type { Node, World } from './world.ts';

/** How old the record of a session may be to which a partition is released, in its T (M8). */
const freshShare = 0.75;
/** How long a dead row stays: that of the own process, and that of another one. In T_max (M11). */
const sweepOwn = 3;
const sweepOther = 10;

const session = 'session#';
const member = 'member#';

/** Notes the rows of sessions and members that an input shows to a process. */
export function noteArrivals(node: Node, input: Input): void {
  if (input.kind === 'notified') noteShown(node, input.rows ?? []);
  const { flight } = node.state;
  if (input.kind !== 'exchanged' || input.id !== flight?.id) return;
  // Only an answer in one part says what does not exist.
  if (input.answer.isWhole && input.hasMore !== true && flight.shown.size === 0)
    noteAbsent(node, new Set(input.answer.rows.map(([name]) => name)));
  noteRead(node, input.answer);
}

function noteRead(node: Node, { rows }: Exchanged): void {
  const at = node.clock.now();
  for (const [name, text] of rows) {
    const isNoted = name.startsWith(session) || name.startsWith(member);
    if (!isNoted || node.arrivals.get(name)?.text === text) continue;
    node.arrivals.set(name, { text, at, shownAt: node.shown.get(text ?? '') ?? at });
  }
}

function noteAbsent({ arrivals, clock }: Node, names: ReadonlySet<string>): void {
  const at = clock.now();
  for (const [name, { text }] of arrivals)
    if (text !== null && !names.has(name)) arrivals.set(name, { text: null, at, shownAt: at });
}

/** A notification may show a text before it is read. No text is used twice. */
function noteShown({ shown, clock }: Node, rows: readonly NamedText[]): void {
  for (const [name, text] of rows)
    if (name.startsWith(session) && text !== null && !shown.has(text)) shown.set(text, clock.now());
  forgetOldest(shown, shownMax);
}

/** Texts that are remembered: more than there can be between two readings. */
const shownMax = 1000;

/** Judges the changes that a process sends. */
export function judgeChanges(world: World, node: Node, changes: readonly RowChange[]): void {
  for (const change of changes) {
    judgeClaimed(world, node, changes, change);
    if (change.name.startsWith(session)) judgeSession(world, node, change);
    else if (change.name.startsWith(member)) judgeNote(world, node, change);
    else if (change.text?.startsWith('{"kind":"release"')) judgeReceiver(world, node, change.text);
  }
}

function judgeNote(world: World, node: Node, { name, expected, text }: RowChange): void {
  if (text !== null || name === `${member}${node.incarnation}`) return;
  if (expected === null || node.arrivals.get(name)?.text !== expected) return;
  const { thresholdMs, driftRate } = world.scenario;
  const needed = (fieldsOf(expected).thresholdMs ?? thresholdMs) * (1 + driftRate);
  if (!isOlder(node, name, needed))
    violation(world, 'M11', node, -1, `removes ${name}, which was written not long ago`);
}

function judgeSession(world: World, node: Node, change: RowChange): void {
  const { name, expected, text } = change;
  if (text === null || /^\{"kind":"(ended|deposed)"/.test(text))
    return judgeEnd(world, node, change);
  // Its own texts have ids that begin with its incarnation.
  if (expected !== null && !expected.includes(`"id":"${node.incarnation}.`))
    violation(world, 'M2', node, -1, `opens ${name} over a row that it has not written`);
}

function judgeEnd(world: World, node: Node, { name, expected, text }: RowChange): void {
  const isOwn = name.startsWith(`${session}${node.incarnation}/`);
  // A row that is missing has no T.
  if (expected === null || node.arrivals.get(name)?.text !== expected) return;
  if (text === null) return judgeSweep(world, node, name, expected, isOwn);
  // A proved death needs no wait (M10), nor does the own past.
  if (isOwn || !text.startsWith('{"kind":"deposed"') || text.includes('"isProved"')) return;
  const { thresholdMs, driftRate } = world.scenario;
  const needed = fieldsOf(expected).thresholdMs ?? thresholdMs;
  if (isOlder(node, name, needed * (1 + driftRate), 'shownAt')) return;
  violation(world, 'M4', node, -1, `deposes ${name}, which it has not known for its T`);
}

function judgeSweep(
  world: World,
  node: Node,
  name: string,
  expected: string,
  isOwn: boolean,
): void {
  const ms = (isOwn ? sweepOwn : sweepOther) * world.scenario.thresholdMs;
  if (!/^\{"kind":"(ended|deposed)"/.test(expected) || !isOlder(node, name, ms))
    violation(world, 'M11', node, -1, `removes ${name}, which has not been dead for long`);
}

function judgeReceiver(world: World, node: Node, text: string): void {
  const { session: to, partition = -1 } = fieldsOf(text);
  if (to === undefined) return;
  const name = `${session}${to}`;
  const { thresholdMs = 0 } = fieldsOf(node.arrivals.get(name)?.text ?? '{}');
  if (isOlder(node, name, freshShare * thresholdMs))
    violation(world, 'M8', node, partition, `hands over to ${to}, whose record is old`);
  const owned = node.state.sessions.get(to)?.owns.size ?? 0;
  const { partitionsMax } = fieldsOf(node.arrivals.get(name)?.text ?? '{}');
  if (owned >= (partitionsMax ?? Number.POSITIVE_INFINITY))
    violation(world, 'M13', node, partition, `hands over to ${to}, which has all that it may lead`);
}

/** Judges that a member whose records reach its limit claims nothing more (M13). */
function judgeClaimed(
  world: World,
  node: Node,
  changes: readonly RowChange[],
  { name, text }: RowChange,
): void {
  if (!text?.startsWith('{"kind":"hold"')) return;
  const claims = changes.filter((change) => change.text?.startsWith('{"kind":"hold"')).length;
  const owned = node.state.own?.row.owns.size ?? 0;
  if (owned + claims > limitOf(world.scenario, node.index))
    violation(world, 'M13', node, -1, `claims ${name}, beyond its limit`);
}

interface Fields {
  readonly thresholdMs?: number;
  readonly session?: string;
  readonly partitionsMax?: number;
  readonly partition?: number;
}

/** A text that somebody has written by hand may have no fields. */
function fieldsOf(text: string): Fields {
  return text.startsWith('{"') ? (JSON.parse(text) as Fields) : {};
}

/** Returns whether a process has read the present text of a row, or was shown it, so long ago. */
function isOlder(
  { arrivals, clock }: Node,
  name: string,
  ms: number,
  since: 'at' | 'shownAt' = 'at',
): boolean {
  const now = clock.now();
  return now - (arrivals.get(name)?.[since] ?? now) >= ms - roundingMs;
}

/** Sums of milliseconds are not exact. */
const roundingMs = 1e-6;
