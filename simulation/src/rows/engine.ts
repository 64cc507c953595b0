// Feeds a machine, and performs its outputs as a host and a store would.
import { type Input, type Output, type Step, step } from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import { between, happens } from '../kernel/random.ts';
import { scheduleFor } from '../kernel/timeline.ts';
import { judgePace, noteNews } from './bounded.ts';
import { callFloor } from './floor.ts';
import { endTerm, judgeLeading, judgeStep, judgeTerm } from './judge.ts';
import { judgeListed, noteListed } from './listed.ts';
import { noteClaims, noteExpired, noteTerm } from './needless.ts';
import { sendExchange } from './store.ts';
import type { Node, World } from './world.ts';
import { judgeChanges, noteArrivals } from './written.ts';

/** Delay of every timer, in milliseconds. Timers fire late, never early. */
const timerLateMs = 0.01;

/** Feeds an input. Decisions follow in a turn of their own, as in the shell. */
export function feed(world: World, node: Node, input: Input): void {
  if (!node.alive) return;
  noteArrivals(node, input);
  noteNews(node, input);
  const { outputs, wakeAt } = checkedStep(world, node, input);
  for (const output of outputs) perform(world, node, output);
  if (input.kind === 'exchanged' && happens(world.random, world.forgetsShare)) forget(node);
  if (node.alive) wakeBy(world, node, wakeAt);
  judgeHurry(world, node, input, wakeAt);
  const isLast = input.kind === 'wake' && wakeAt > node.clock.now();
  if (isLast) judgeListed(world, node);
  if (isLast && world.looksTwice && node.alive) lookAgain(world, node);
}

/** A wake may ask for another one at once, but not again and again: that would block its process. */
const hurriedMax = 8;

function judgeHurry(world: World, node: Node, { kind }: Input, wakeAt: number): void {
  if (kind !== 'wake') return;
  node.hurried = wakeAt > node.clock.now() ? 0 : node.hurried + 1;
  if (node.hurried > hurriedMax)
    violation(world, 'hurry', node, -1, `asks to be woken at once, ${node.hurried} times in a row`);
}

/** Takes a step of the machine, and checks it against the text of the rules. */
function checkedStep(world: World, node: Node, input: Input): Step {
  const moment = node.clock.moment();
  const made = step(node.state, input, moment);
  const { now, wallMicros } = moment;
  const { outputs, wakeAt } = made;
  judgeStep(world, node, { input, now, wallMicros, outputs, wakeAt });
  return made;
}

/** A defect: does not look at one of the partitions that may need something. */
function forget({ state: { todo } }: Node): void {
  for (const index of [...todo].slice(0, 1)) todo.delete(index);
}

/**
 * Looks at all partitions once more, after a wake that asks for no other one at once: an output would
 * be one that it has missed.
 */
function lookAgain(world: World, node: Node): void {
  const { state } = node;
  const [todo, waiting] = [[...state.todo], [...state.waiting]];
  const due = state.partitions.map(({ dueAt }) => dueAt);
  for (const { index } of state.partitions) state.todo.add(index);
  const { outputs } = checkedStep(world, node, { kind: 'wake' });
  for (const output of outputs) {
    const partition = 'partition' in output ? output.partition : -1;
    violation(world, 'missed', node, partition, `a second look finds ${output.kind}`);
    perform(world, node, output);
  }
  restore(state.todo, todo);
  restore(state.waiting, waiting);
  for (const [index, at] of due.entries()) {
    const partition = state.partitions[index];
    // One that found no room would be due later than it is.
    if (partition !== undefined) state.due.set(partition, at);
  }
}

function restore(indexes: Set<number>, before: readonly number[]): void {
  indexes.clear();
  for (const index of before) indexes.add(index);
}

function wakeBy(world: World, node: Node, at: number): void {
  const real = Math.max(world.now, node.clock.realAt(at)) + timerLateMs;
  node.wakeAt = real;
  if (real < Number.POSITIVE_INFINITY) scheduleFor(world, node, real - world.now, wake, real);
}

function wake(world: World, at: number, node: Node): void {
  if (node.wakeAt !== at) return;
  // The rate of the clock may have changed meanwhile; a wake that comes early does no harm.
  feed(world, node, { kind: 'wake' });
}

function perform(world: World, node: Node, output: Output): void {
  switch (output.kind) {
    case 'exchange':
      judgeChanges(world, node, output.changes);
      noteClaims(world, node, output.changes);
      judgePace(world, node);
      return sendExchange(world, node, output);
    case 'floor':
      return callFloor(world, node, output);
    case 'members':
      return noteListed(node, output.members);
    case 'granted':
      node.terms.set(output.partition, { token: output.token });
      noteTerm(world, node, output.partition);
      return judgeTerm(world, node, output.partition, output.token);
    case 'prolonged':
      return prolong(world, node, output);
    case 'drain':
      return drain(world, node, output);
    case 'lost':
      if (output.reason === 'expired') noteExpired(world);
      return endTerm(world, node, output.partition);
    case 'released':
      return endTerm(world, node, output.partition);
    default:
      return;
  }
}

function prolong(
  world: World,
  node: Node,
  { until }: Output & { readonly kind: 'prolonged' },
): void {
  // A deadline that has passed was the end of all terms before it (T3).
  if (node.clock.now() >= node.until)
    for (const partition of node.terms.keys())
      violation(world, 'T3', node, partition, 'revives a term');
  node.until = until;
  for (const partition of node.terms.keys()) judgeLeading(world, node, partition);
}

function drain(
  world: World,
  node: Node,
  { partition, token }: Output & { readonly kind: 'drain' },
): void {
  const { draining } = world.scenario;
  if (!node.terms.has(partition)) return;
  const isStuck = happens(world.random, draining.neverShare);
  const workMs = between(world.random, draining.ms[0], draining.ms[1]);
  const isLate = isStuck || workMs > draining.timeoutMs;
  scheduleFor(
    world,
    node,
    isLate ? draining.timeoutMs : workMs,
    isLate ? giveUp : settle,
    token,
    partition,
  );
}

function settle(world: World, token: bigint, node: Node, partition: number): void {
  if (node.terms.get(partition)?.token !== token) return;
  endTerm(world, node, partition);
  feed(world, node, { kind: 'drained', partition, token });
}

/** The host ends all terms of a node, whose work has the rest of the lease. */
export function fenceAll(world: World, node: Node): void {
  for (const [partition, { token }] of [...node.terms]) giveUp(world, token, node, partition);
}

/** The host gives up work that has not ended in time. It has the rest of the lease (H3). */
function giveUp(world: World, token: bigint, node: Node, partition: number): void {
  if (node.terms.get(partition)?.token !== token) return;
  endTerm(world, node, partition);
  node.stragglers.set(partition, {
    until: node.until,
    session: node.state.own?.row.id,
  });
  feed(world, node, { kind: 'fenced', partition, token });
}
