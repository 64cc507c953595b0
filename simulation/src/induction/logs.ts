// The logs of the partitions. The leading broker stamps each record, and members read the records
// in log order.
import type { Beat } from '@leadership/core/adapter';
import { localAt } from '../kernel/clock.ts';
import { happens, there } from '../kernel/random.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { endOf, type Log, type Node, type Reader, type World } from './world.ts';

/** Sends a beat. The network may lose, duplicate or delay the beat. */
export function send(world: World, { index, life, writesCutUntil, self }: Node, beat: Beat): void {
  const { random, scenario, now } = world;
  const { lossShare, duplicateShare } = scenario.network;
  const to = { node: index, life, lane: beat.partition };
  const cutMs = Math.max(0, writesCutUntil - now);
  const isLost = happens(random, cutMs > 0 ? lostInCut : lossShare);
  const thereMs = cutMs + delayMs(world);
  const timeoutMs = self.thresholdMs / 3;
  if (!isLost) soon(world, thereMs, { kind: 'landed', ...to, cargo: beat });
  if (happens(random, duplicateShare))
    soon(world, cutMs + delayMs(world), { kind: 'landed', ...to, cargo: beat });
  if (isLost || 2 * thereMs > timeoutMs)
    soon(world, timeoutMs, { kind: 'unsent', ...to, cargo: beat.id });
}

/** Share of the beats during a cut that is lost. The rest lands after the cut. */
const lostInCut = 0.5;

/** Stamps a beat and appends it, if the partition has a leading broker. */
export function append(world: World, sender: Node, partition: number, beat: Beat): void {
  const { now, nodes, brokers, logs, judge, groups } = world;
  const log = there(logs[partition]);
  if (now < log.downUntil) return;
  const broker = there(brokers[log.broker]);
  const stampedMs = Math.floor(localAt(broker, now) + broker.wallOffsetMs);
  const locals = nodes.map(({ clock }) => localAt(clock, now));
  const isOwners = there(groups[sender.group]).owners[partition] === beat.incarnation;
  log.entries.push({
    beat,
    stampedMs,
    epoch: log.epoch,
    at: now,
    locals,
    steps: there(judge.steps[log.broker]),
    isOwners,
  });
  if (log.entries.length > keptMax) forget(world, partition, log);
  for (const node of nodes) answer(world, node, partition);
}

/**
 * Length at which the log discards the entries that all readers have read. Few readers are further
 * behind.
 */
const keptMax = 512;

function forget({ nodes }: World, partition: number, log: Log): void {
  const positions = nodes
    .filter(({ alive }) => alive)
    .map(({ readers }) => there(readers[partition]).position);
  const read = Math.min(endOf(log), ...positions) - log.start;
  log.entries = log.entries.slice(read);
  log.start += read;
}

/** Returns a reader at the current end of the log. */
export function newReader(log: Log): Reader {
  return { position: endOf(log), epoch: log.epoch, waiting: true, steps: -1 };
}

/** Answers a reader that waits for a new record. */
function answer(world: World, node: Node, partition: number): void {
  const reader = node.readers[partition];
  if (!node.alive || reader === undefined || !reader.waiting) return;
  reader.waiting = false;
  reply(world, node, partition);
}

/** Sends the next reply, with its delay. */
export function reply(world: World, node: Node, partition: number): void {
  const log = there(world.logs[partition]);
  const cutMs = Math.max(0, node.readsCutUntil - world.now, log.downUntil - world.now);
  const slowMs = world.now < node.starvedUntil ? starvedMs(world) : 0;
  soon(world, cutMs + slowMs + delayMs(world), {
    kind: 'fetched',
    node: node.index,
    life: node.life,
    lane: partition,
    cargo: endOf(log),
  });
}

/**
 * Returns the extra delay of a starved reader, which takes longer to read one beat than to send
 * one, and so falls behind.
 */
function starvedMs({ scenario: { beatMs, beats, nodes } }: World): number {
  return (1.5 * beatMs) / (beats === 'all' ? nodes : 1);
}
