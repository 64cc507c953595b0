// The simulated logs in which members of worlds of induction write their beats, one per partition.
// The leading broker stamps each record, and members read the records of each log in order.

import type { Beat } from '@leadership/induction';
import type { InductionState } from '@leadership/induction/internal/protocol';
import { lateMs, transmit, usualDelayMs } from '../kernel/network.ts';
import { defined, happens } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import { judgeReceived } from './judge.ts';
import { type Entry, endOf, type Log, type Node, type Position, type World } from './world.ts';

/** The beats that a member of a group sent at one moment. */
interface Sending {
  readonly group: number;
  readonly beats: readonly Beat[];
}

/** Sends a beat. The network may lose, duplicate or delay it, with those of the same moment. */
export function send(world: World, node: Node, beat: Beat): void {
  const { now } = world;
  if (node.request.sentAt === now) return void node.request.beats.push(beat);
  const beats = [beat];
  node.request = { sentAt: now, beats };
  if (now < node.writesRefusedUntil)
    return scheduleFor(world, node, 2 * usualDelayMs(world), unsent, beats);
  const sending: Sending = { group: node.group, beats };
  const cutMs = Math.max(0, node.writesCutUntil - now);
  const thereMs = transmit(world, cutMs, (ms) => schedule(world, ms, append, sending));
  const timeoutMs = node.leaseMs / 3;
  if (2 * thereMs > timeoutMs) scheduleFor(world, node, timeoutMs, unsent, beats);
}

/** Processes the end of the time to send beats, which has passed without success. */
function unsent(world: World, beats: readonly Beat[], node: Node): void {
  for (const { partition, id } of beats)
    world.member.step(world, node, partition, { kind: 'unsent', id });
  world.member.arm(world, node);
}

/** Stamps beats and appends each of them, if its partition has a leading broker. */
function append(world: World, { group, beats }: Sending): void {
  const { now, nodes, brokers, logs, groups } = world;
  const { owners } = defined(groups[group]);
  for (const beat of beats) {
    const { partition, incarnation } = beat;
    const log = defined(logs[partition]);
    if (now < log.downUntil) continue;
    const { clock, steps } = defined(brokers[log.broker]);
    const stampedMs = Math.floor(clock.now() + clock.wallOffsetMs);
    const isOwners = owners[partition] === incarnation;
    log.entries.push({ beat, stampedMs, epoch: log.epoch, at: now, steps, isOwners });
    if (log.entries.length > keptMax) forget(nodes, partition, log);
  }
  answerWaiting(world);
}

/**
 * Length at which the log discards the entries that all readers have read. Few readers are further
 * behind.
 */
const keptMax = 512;

function forget(nodes: readonly Node[], partition: number, log: Log): void {
  const positions = nodes
    .filter(({ alive }) => alive)
    .map((node) => defined(node.positions[partition]).next);
  const read = Math.min(endOf(log), ...positions) - log.start;
  log.entries = log.entries.slice(read);
  log.start += read;
}

/** Replies to every process that waits for new records. */
export function answerWaiting(world: World): void {
  for (const node of world.nodes)
    if (node.alive && node.isWaiting && isBehind(world, node)) reply(world, node);
}

/** Returns whether the log has entries beyond the position that can be read now. */
function isUnread(log: Log, { next, lateUntil }: Position, now: number): boolean {
  return next < log.start + log.entries.length && now >= log.downUntil && now >= lateUntil;
}

/** Returns whether there are entries that the process could read now. */
function isBehind({ logs, now }: World, { positions }: Node): boolean {
  for (let partition = 0; partition < logs.length; partition += 1) {
    if (isUnread(logs[partition] as Log, positions[partition] as Position, now)) return true;
  }
  return false;
}

/**
 * Sends the next reply, with its delay. It contains the logs up to their present ends. Each
 * partition may be late, or without a leading broker. Its entries are then in a later reply.
 */
function reply(world: World, node: Node): void {
  const { now, logs } = world;
  node.isWaiting = false;
  const ends = logs.map((log, partition) => {
    const position = node.positions[partition] as Position;
    if (!isUnread(log, position, now) || isLate(world, position)) return 0;
    return endOf(log);
  });
  const slowMs = now < node.starvedUntil ? starvedMs(world) : 0;
  const cutMs = Math.max(0, node.readsCutUntil - now);
  scheduleFor(world, node, cutMs + slowMs + usualDelayMs(world), read, ends);
}

function isLate(world: World, position: Position): boolean {
  if (!happens(world.random, world.network.lateShare)) return false;
  const ms = lateMs(world);
  position.lateUntil = world.now + ms;
  schedule(world, ms, answerWaiting, undefined);
  return true;
}

/**
 * Returns the extra delay of a starved reader, which takes longer to read one beat than to send
 * one, and so falls behind.
 */
function starvedMs({ scenario: { beatMs, beats, nodes } }: World): number {
  return (1.5 * beatMs) / (beats === 'all' ? nodes : 1);
}

/** Processes the entries of a reply one by one, then requests the next reply or waits. */
function read(world: World, ends: readonly number[], node: Node): void {
  const most = world.now < node.starvedUntil ? 1 : Number.POSITIVE_INFINITY;
  for (let partition = 0; partition < ends.length; partition += 1) {
    const position = node.positions[partition] as Position;
    const { entries, start } = world.logs[partition] as Log;
    const end = Math.min(ends[partition] as number, position.next + most);
    while (position.next < end) {
      position.next += 1;
      hear(world, node, partition, position, entries[position.next - 1 - start] as Entry);
    }
  }
  world.member.arm(world, node);
  if (isBehind(world, node)) reply(world, node);
  else node.isWaiting = true;
}

function hear(world: World, node: Node, partition: number, position: Position, entry: Entry): void {
  const { beat, stampedMs, epoch, steps } = entry;
  if (epoch !== position.epoch) {
    position.epoch = epoch;
    position.steps = -1;
    world.member.step(world, node, partition, { kind: 'restarted' });
  }
  const before = node.partitions[partition] as InductionState;
  const receivedAt = node.clock.now();
  world.member.step(world, node, partition, { kind: 'beat', beat, stampedMs, receivedAt });
  if (beat.incarnation === node.incarnation) {
    const sentAt = before.sent.find(({ id }) => id === beat.id)?.sentAt;
    if (sentAt !== undefined && receivedAt - sentAt <= world.scenario.clockErrorMsMax)
      position.steps = steps;
  }
  judgeReceived(world, node, partition, entry, before.provedAt);
}
