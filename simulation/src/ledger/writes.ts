// How simulated members of the ledger lease write to the store, and send requests to each other.
import type { Instant } from '@leadership/core/adapter';
import type {
  LeaseRequest,
  LedgerInput,
  LedgerRecord,
  WriteOutcome,
} from '@leadership/core/internal/ledger';
import { delayMs, transmit } from '../kernel/network.ts';
import { defined, happens } from '../kernel/random.ts';
import { schedule, scheduleFor } from '../kernel/timeline.ts';
import type { Node, World } from './world.ts';

/** A write on its way to the store. */
interface Sending {
  readonly record: LedgerRecord;
  readonly slot: number;
  /** The process and its life that get the answer. */
  readonly node: number;
  readonly life: number;
  /**
   * Delay of the answer in milliseconds. Negative: the answer is lost, or arrives after the
   * timeout.
   */
  readonly answerMs: number;
}

/** Sends a write. The network may lose, repeat or delay it, and may lose its answer (L4). */
export function send(world: World, record: LedgerRecord, node: Node, slot: number): void {
  // A denial is not an answer to the write.
  if (node.writesDeniedUntil > world.now)
    return answer(world, node, slot, record, 'unknown', delayMs(world));
  const isUnseen = happens(world.random, world.network.lossShare);
  const backMs = isUnseen ? Number.POSITIVE_INFINITY : delayMs(world);
  const limitMs = timeoutMs(node);
  const place = { slot, node: node.index, life: node.life };
  const thereMs = transmit(world, cutMs(world, node.writesCutUntil), (ms, isCopy) => {
    const answerMs = isCopy || ms + backMs >= limitMs ? -1 : backMs;
    schedule(world, ms, landed, { record, ...place, answerMs });
  });
  if (thereMs + backMs >= limitMs) answer(world, node, slot, record, 'unknown', limitMs);
}

function landed(world: World, { record, slot, node: index, life, answerMs }: Sending): void {
  const outcome = world.storeKind.write(world, slot, record);
  const node = defined(world.nodes[index]);
  // A plain acknowledgement of an append carries no information (L3), so it is not simulated.
  if (answerMs >= 0 && outcome !== 'placed' && node.life === life)
    answer(world, node, slot, record, outcome, answerMs);
}

function answer(
  world: World,
  node: Node,
  slot: number,
  record: LedgerRecord,
  outcome: WriteOutcome | 'unknown',
  ms: number,
): void {
  const input: LedgerInput = { kind: 'written', record, outcome };
  scheduleFor(world, node, ms, world.feed, input, slot);
}

/** Returns the time after which a write without an answer has an unknown outcome. */
function timeoutMs({ leaseMs }: Node): number {
  return leaseMs / 3;
}

/** Returns the rest of a cut. */
export function cutMs({ now }: World, cutUntil: number): number {
  return Math.max(0, cutUntil - now);
}

/** Sends a lease request to all other nodes. Requests may arrive late, twice or never (L7). */
export function requestLease(
  world: World,
  sender: Node,
  slot: number,
  request: LeaseRequest,
): void {
  const { lossShare, duplicateShare } = world.network;
  for (const node of world.nodes) {
    const takesPart = node !== sender && node.alive && request.partition < node.self.partitions;
    if (!takesPart || happens(world.random, lossShare)) continue;
    const copies = happens(world.random, duplicateShare) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const ms = cutMs(world, sender.writesCutUntil) + delayMs(world);
      scheduleFor(world, node, ms, requestReceived, request, slot);
    }
  }
}

function requestReceived(world: World, request: LeaseRequest, node: Node, slot: number): void {
  world.feed(world, { kind: 'requested', request, receivedAt: node.clock.now() }, node, slot);
}

// The floor: a second place, which keeps the greatest token when the registers are deleted (T1).

/** Sends a read of the floor. A read that fails is repeated, so it is late but never lost. */
export function readFloor(world: World, node: Node, slot: number): void {
  const ms = cutMs(world, node.readsCutUntil) + delayMs(world);
  scheduleFor(world, node, ms, floorRead, node.clock.now(), slot);
}

function floorRead(world: World, askedAt: Instant, node: Node, slot: number): void {
  const input: LedgerInput = { kind: 'floor', token: world.store.floor, askedAt };
  scheduleFor(world, node, delayMs(world), world.feed, input, slot);
}

/**
 * Raises the floor, then sends the record. A record whose raise got no answer is not sent, and its
 * writer gets the outcome `unknown`.
 */
export function sendRaised(world: World, record: LedgerRecord, node: Node, slot: number): void {
  const limitMs = timeoutMs(node);
  if (world.storeRules.raises === 'with-the-renewal') {
    send(world, record, node, slot);
    return scheduleFor(world, node, limitMs, raise, record.token);
  }
  const backMs = raise(world, record.token, node) + delayMs(world);
  if (backMs < limitMs) scheduleFor(world, node, backMs, send, record, slot);
  else answer(world, node, slot, record, 'unknown', limitMs);
}

/** Sends a raise, and returns the time until it reaches the second place. */
function raise(world: World, token: bigint, node: Node): number {
  const ms = cutMs(world, node.writesCutUntil) + delayMs(world);
  schedule(world, ms, raised, token);
  return ms;
}

function raised({ store }: World, token: bigint): void {
  if (token > store.floor) store.floor = token;
}
