// The second place of a store, which keeps the greatest token when the registers are deleted (T1).
import type { LedgerRecord } from '@leadership/core/adapter';
import { type Local, localAt } from '../kernel/clock.ts';
import { soon } from '../kernel/timeline.ts';
import { delayMs } from '../kernel/weather.ts';
import { send } from './network.ts';
import type { Node, World } from './world.ts';

/** Sends a read of the floor. A read that fails is repeated, so it is late but never lost. */
export function readFloor(
  world: World,
  { index: node, life, clock, readsCutUntil }: Node,
  lane: number,
): void {
  const cutMs = Math.max(0, readsCutUntil - world.now);
  soon(world, cutMs + delayMs(world), {
    kind: 'floor-read',
    node,
    life,
    lane,
    cargo: localAt(clock, world.now),
  });
}

/** Processes a read at the second place. The floor is sent back with a delay. */
export function floorRead(
  world: World,
  { index: node, life }: Node,
  lane: number,
  askedAt: Local,
): void {
  const cargo = { kind: 'floor', token: world.store.floor, askedAt } as const;
  soon(world, delayMs(world), { kind: 'floor-reply', node, life, lane, cargo });
}

/** Sends a raise for which no record waits. */
export function raiseFloor(
  world: World,
  { index: node, life, writesCutUntil }: Node,
  lane: number,
  token: bigint,
): void {
  const cutMs = Math.max(0, writesCutUntil - world.now);
  soon(world, cutMs + delayMs(world), { kind: 'floor-raised', node, life, lane, cargo: token });
}

/** Processes a raise at the second place. */
export function floorRaised({ store }: World, token: bigint): void {
  if (token > store.floor) store.floor = token;
}

/**
 * Raises the floor, then sends the record. A record whose raise got no answer is not sent, and its
 * writer gets the outcome `unknown`.
 */
export function sendRaised(world: World, node: Node, lane: number, record: LedgerRecord): void {
  const { index, life, writesCutUntil, self } = node;
  const timeoutMs = self.thresholdMs / 3;
  if (world.rules.host.raises === 'with-the-renewal') {
    send(world, node, lane, record);
    return soon(world, timeoutMs, {
      kind: 'floor-due',
      node: index,
      life,
      lane,
      cargo: record.token,
    });
  }
  const thereMs = Math.max(0, writesCutUntil - world.now) + delayMs(world);
  const backMs = delayMs(world);
  soon(world, thereMs, { kind: 'floor-raised', node: index, life, lane, cargo: record.token });
  if (thereMs + backMs < timeoutMs)
    return soon(world, thereMs + backMs, {
      kind: 'raised',
      node: index,
      life,
      lane,
      cargo: record,
    });
  soon(world, timeoutMs, {
    kind: 'answered',
    node: index,
    life,
    lane,
    cargo: { kind: 'written', record, outcome: 'unknown' },
  });
}
