// The application of a source: work that runs while its member leads, and ends late or throws, and
// observers of every stream.
import type { Leadership, Term } from '@leadership/core';
import { aborted, type Clock, sleep } from '@leadership/core/adapter';
import { violation } from '../kernel/judge.ts';
import { clockOf } from '../kernel/process.ts';
import { between, happens } from '../kernel/random.ts';
import { judgeState } from './judge.ts';
import type { Node, Work, World } from './world.ts';

/** How long work may still run after its drain has timed out. In T. */
const lateThresholds = 3;

/** Work that throws does so within that part of T after it began. */
const throwsThresholds = 2;

/** Starts the application of a source that was opened. */
export function runApplication(world: World, node: Node): void {
  const { source } = node;
  const { partitions } = world.scenario;
  node.roles = Array.from({ length: partitions }, (_, partition) => source.role(partition));
  node.openStreams = new Set();
  observe(node, 'held$', source.held$);
  observe(node, 'roster$', source.roster$);
  observe(node, 'events$', source.events$);
  node.roles.forEach((role, partition) => {
    observe(node, `leader$ ${partition}`, role.leader$);
    observe<Leadership>(node, `leadership$ ${partition}`, role.leadership$, (leadership) =>
      judgeState(world, node, partition, leadership),
    );
  });
  // The timers of the application are its own: only those of the source have to end with it.
  const clock = clockOf(world, node);
  source
    .leadEach((term) => work(world, node, clock, term))
    .catch((error: unknown) => violation(world, 'work', node, -1, `leadEach: ${String(error)}`));
}

interface Stream<T> {
  subscribe(observer: { next?: (value: T) => void; complete: () => void }): unknown;
}

function observe<T>(node: Node, name: string, stream: Stream<T>, next?: (value: T) => void): void {
  const { openStreams } = node;
  openStreams.add(name);
  stream.subscribe({ complete: () => openStreams.delete(name), ...(next && { next }) });
}

async function work(world: World, node: Node, clock: Clock, term: Term): Promise<void> {
  const { random, scenario } = world;
  const { partition, token } = term;
  const running: Work = { token, until: 0, isFenced: false, overSince: undefined };
  node.works.set(partition, running);
  const lasting = new AbortController().signal;
  if (!world.isCalm && happens(random, scenario.throwsShare)) {
    await sleep(clock, between(random, 0, throwsThresholds * scenario.thresholdMs), lasting);
    node.works.delete(partition);
    throw new Error('work failed');
  }
  await aborted(term.signal);
  await sleep(clock, endMs(world), lasting);
  node.works.delete(partition);
}

/** Returns how long work takes to end. */
function endMs({ random, scenario }: World): number {
  const { ms, neverShare, timeoutMs } = scenario.draining;
  if (happens(random, neverShare))
    return timeoutMs + between(random, 0, lateThresholds * scenario.thresholdMs);
  return between(random, ms[0], ms[1]);
}
