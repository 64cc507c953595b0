// The sources of a world: how they start, close, resign and crash.
import { resolveOptions } from '@leadership/core/adapter';
import { reportDeath } from '@leadership/core/internal/guard';
import { leaseBackendUnder, Source } from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import { beginLife, endLife } from '../kernel/process.ts';
import { between, pick } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { noteLeaving } from '../rows/bounded.ts';
import { beginReading } from '../rows/log.ts';
import { runApplication } from './application.ts';
import { judgeClosed, judgeReleased } from './judge.ts';
import { Port, rowsFor } from './port.ts';
import { backendThrough } from './seams.ts';
import { clockIn, type Node, type World } from './world.ts';

/** A source that never learns of a sleep: the clocks of a world go on. */
const sleepless = { slept: () => false };

/** Starts a process with a new incarnation. */
export function start(world: World, _: undefined, node: Node): void {
  if (node.alive) return;
  const { scenario, random, seams } = world;
  const { thresholdMs, mixedThresholds, partitions, driftRate, draining } = scenario;
  beginLife(world, node, 0);
  node.incarnation = `m${node.index}.${node.life}`;
  node.port = new Port();
  node.works.clear();
  node.timers = new Set();
  node.closing = 'no';
  beginReading(world, node);
  const options = resolveOptions({
    group: 'g',
    member: `m${node.index}`,
    partitions,
    thresholdMs: mixedThresholds ? thresholdMs * between(random, 0.4, 1) : thresholdMs,
    thresholdMsMax: thresholdMs,
    driftRate,
    drainTimeoutMs: draining.timeoutMs,
    log: false,
  });
  const clock = clockIn(world, node);
  const backend = leaseBackendUnder(node.rules, options, (host) =>
    seams.rows(rowsFor(world, node), host),
  );
  node.source = new Source(backendThrough(backend, seams, clock), options, {
    clock: seams.clock(clock),
    random: () => random.next(),
    suspends: sleepless,
    incarnation: node.incarnation,
  });
  runApplication(world, node);
}

/** Ends a process without warning. If its death is proved, the others learn of it. */
export function kill(world: World, node: Node, awayMs: number, isProved: boolean): void {
  endLife(node);
  const { incarnation } = node;
  for (const other of isProved ? world.nodes : [])
    if (other !== node && other.alive) scheduleFor(world, other, 0, learn, incarnation);
  scheduleFor(world, node, awayMs, start, undefined);
}

function learn(_world: World, incarnation: string, { source }: Node): void {
  void reportDeath(source, incarnation);
}

/** Lets the source of a node close. */
export function close(world: World, node: Node): void {
  if (node.closing !== 'no') return;
  node.closing = 'begun';
  noteLeaving(world, node);
  const { life, source } = node;
  const closed = (): void => {
    if (node.life !== life) return;
    node.closing = 'done';
    scheduleFor(world, node, 0, judgeClosed, undefined);
  };
  source.close().then(closed, (error: unknown) => {
    violation(world, 'closes', node, -1, `close rejects: ${String(error)}`);
  });
}

/** Resigns a partition that the member of a node leads. */
export function resign(world: World, node: Node): void {
  const role = node.roles.find((one) => one.isLeading());
  role?.resign().catch((error: unknown) => {
    violation(world, 'work', node, role.partition, `resign rejects: ${String(error)}`);
  });
}

/** When one member closes in each quiet time, and how long it may take. In T. */
const closesThresholds = 0.25;
const closingThresholds = 8;

/** Lets a member close in each quiet time, which nothing may delay. */
export function scheduleCloses(world: World): void {
  const { roughThresholds, calmThresholds, thresholdMs } = world.scenario;
  const ms = (roughThresholds + closesThresholds * calmThresholds) * thresholdMs;
  schedule(world, ms, closeOne, undefined);
}

function closeOne(world: World): void {
  const { scenario, random, nodes } = world;
  const { roughThresholds, calmThresholds, thresholdMs } = scenario;
  const node = pick(random, nodes);
  schedule(world, (roughThresholds + calmThresholds) * thresholdMs, closeOne, undefined);
  if (!node.alive || node.closing !== 'no') return;
  close(world, node);
  scheduleFor(world, node, closingThresholds * thresholdMs, restart, undefined);
}

function restart(world: World, _: undefined, node: Node): void {
  judgeReleased(world, node);
  kill(world, node, 0, false);
}
