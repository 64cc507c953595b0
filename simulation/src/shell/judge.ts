// Judges the members of a world as their applications see them: who leads at each instant, by the clock
// of each process, and what the streams and the health of the sources say.
import type { Leadership, Term } from '@leadership/core';
import { doubled, judgeToken, violation } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { Node, World } from './world.ts';

/** Judges after each event that no two members believe to lead, and notes for how long one does. */
export function judgeBeliefs(world: World): void {
  const { now, led, judge, judgedUntil } = world;
  for (let partition = 0; partition < led.length; partition += 1) {
    if (led[partition] === true) defined(judge.records[partition]).ledMs += now - judgedUntil;
    led[partition] = judgeBelief(world, partition);
  }
  world.judgedUntil = now;
  for (const node of world.nodes) if (node.alive) judgeSignals(world, node);
}

/** How late a process that runs notifies work that its term is over. Milliseconds. */
const noticeMsMax = 100;

/** Judges that work is notified when its term is over (H4). */
function judgeSignals(world: World, node: Node): void {
  const { now } = world;
  for (const [partition, work] of node.works) {
    const isOver = !work.isFenced && node.roles[partition]?.term()?.token !== work.token;
    work.overSince = isOver ? Math.max(work.overSince ?? now, node.pausedUntil) : undefined;
    if (now - (work.overSince ?? now) > noticeMsMax)
      violation(
        world,
        'H4',
        node,
        partition,
        `does not notify its work that ${work.token} is over`,
      );
  }
}

/** Returns whether a member leads the partition now. */
function judgeBelief(world: World, partition: number): boolean {
  let leader: Node | undefined;
  for (const node of world.nodes) {
    if (!node.alive || node.roles[partition]?.isLeading() !== true) continue;
    if (leader !== undefined) doubled(world, node, partition, leader);
    leader = node;
  }
  return leader !== undefined;
}

/** Judges a state that an application receives. */
export function judgeState(
  world: World,
  node: Node,
  partition: number,
  leadership: Leadership,
): void {
  const work = node.works.get(partition);
  switch (leadership.state) {
    case 'leading':
      return judgeTerm(world, node, partition, leadership.term);
    case 'revoking':
      if (work?.token === leadership.term.token)
        work.until = node.clock.now() + leadership.term.remainingMs();
      return;
    case 'fenced':
      if (work?.token !== leadership.term.token) return;
      work.isFenced = true;
      if (leadership.reason !== 'drain-timed-out') work.until = 0;
      return;
    case 'waiting':
      if (work?.isFenced === false)
        violation(world, 'H2', node, partition, `releases term ${work.token}, whose work runs`);
      return;
    default:
      violation(world, 'state', node, partition, `a candidate is ${leadership.state}`);
  }
}

function judgeTerm(world: World, node: Node, partition: number, { token }: Term): void {
  world.judge.terms += 1;
  judgeToken(world, node, partition, token, 'T1');
  judgeBelief(world, partition);
  for (const other of world.nodes) {
    const work = other.works.get(partition);
    // Work that was given up has the rest of its lease (H3).
    if (other.alive && work?.isFenced === true && other.clock.now() < work.until)
      violation(world, 'H3', node, partition, `leads while ${other.incarnation} still works`);
  }
}

/** Judges that after a quiet time all partitions are led and known to be, and no trouble is left. */
export function judgeSettled(world: World): void {
  const { nodes, scenario, judge } = world;
  judge.settled += 1;
  const shares = nodes.map(({ source }) => source.held().size);
  if (Math.max(...shares) > Math.min(...shares) + 1)
    violation(world, 'even', defined(nodes[0]), -1, `the shares are ${shares.join(', ')}`);
  for (let partition = 0; partition < scenario.partitions; partition += 1)
    judgeLed(world, partition);
  for (const node of nodes)
    for (const { code, message } of node.source.health().troubles)
      violation(world, 'troubles', node, -1, `still reports ${code}: ${message}`);
}

function judgeLed({ nodes, ...world }: World, partition: number): void {
  const leader = nodes.find(({ roles }) => roles[partition]?.isLeading() === true);
  if (leader === undefined) {
    const what = 'no member leads after a quiet time';
    return violation({ nodes, ...world }, 'settles', defined(nodes[0]), partition, what);
  }
  for (const node of nodes) {
    const known = node.roles[partition]?.leader()?.member;
    if (known !== leader.source.member)
      violation({ nodes, ...world }, 'leader', node, partition, `takes ${known} for the leader`);
  }
}

/** Judges a source that was closed: nothing of it is left. */
export function judgeClosed(world: World, _: undefined, node: Node): void {
  const { openStreams, timers, works, port } = node;
  if (openStreams.size > 0)
    violation(world, 'closes', node, -1, `has open streams: ${[...openStreams].join(', ')}`);
  if (!port.isClosed) violation(world, 'closes', node, -1, 'has not closed its rows');
  // Work that was given up may still run, and its back-off with it.
  if (works.size === 0 && timers.size > 0)
    violation(world, 'closes', node, -1, `has ${timers.size} timers after it has closed`);
}

/** Judges that a source which closed while no fault struck has closed in time, and has released. */
export function judgeReleased(world: World, node: Node): void {
  if (node.closing !== 'done') return violation(world, 'closes', node, -1, 'does not close');
  const own = `"session":"${node.incarnation}/`;
  for (const [name, text] of world.store.rows)
    if (text.startsWith('{"kind":"hold"') && text.includes(own))
      violation(world, 'closes', node, -1, `has closed and not released ${name}`);
}
