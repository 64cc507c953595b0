import type { Instant } from '@leadership/core/adapter';
import { expect, test } from 'vitest';
import type { Message } from '../../src/index.ts';
import type { Item } from '../../src/protocol.ts';
import { Backlog } from '../../src/transport/tcp/backlog.ts';

const at = (ms: number): Instant => ms as Instant;
const start = (round: number) => ({ incarnation: 'a', at: round, count: 0 });
const request = (partition: number, round: number): Item => ({
  kind: 'grant-request',
  partition,
  start: start(round),
  leaseMs: 1000,
  token: 1n,
  standing: 'claiming',
  successor: -1,
});
const ok = (partition: number, round: number): Item => ({
  kind: 'ok',
  partition,
  start: start(round),
  at: { at: 1, count: 0 },
  life: 0,
  waitedMs: 0,
  rival: 0n,
  isEnding: false,
});
const refused = (partition: number, round: number): Item => ({
  kind: 'refused',
  partition,
  start: start(round),
  why: 'held',
  holder: undefined,
  isLeaving: false,
  forMs: 1,
});
const release = (partition: number, round: number): Item => ({
  kind: 'release',
  partition,
  start: start(round),
});
const message = (item: Item): Message => ({ epoch: 0, item });

function kept(backlog: Backlog): readonly Item[] {
  return backlog.messages().map(({ item }) => item);
}

test('a later round or answer replaces the earlier one, and moves to the end', () => {
  const backlog = new Backlog(2, 1000);
  const items = [
    request(0, 1),
    ok(1, 1),
    request(1, 1),
    release(0, 1),
    request(0, 2),
    refused(1, 2),
  ];
  for (const item of items) backlog.put(message(item), at(0));
  expect(kept(backlog)).toEqual([request(1, 1), release(0, 1), request(0, 2), refused(1, 2)]);
});

test('a release and the round that follows it keep their order', () => {
  const backlog = new Backlog(1, 1000);
  for (const item of [request(0, 1), release(0, 1), request(0, 2), release(0, 2)])
    backlog.put(message(item), at(0));
  expect(kept(backlog)).toEqual([request(0, 2), release(0, 2)]);
});

test('its length is bounded by the number of purposes, whatever messages are sent', () => {
  const backlog = new Backlog(2, 1000);
  let unsent = 0;
  for (let id = 0; id < 10_000; id += 1) {
    unsent += Number(backlog.put(message({ kind: 'verify', partition: 0, id }), at(0)));
    unsent += Number(backlog.put(message(request(id % 2, id)), at(0)));
  }
  const messages = kept(backlog);
  expect(messages).toHaveLength(3 * 2 + 256);
  expect(unsent).toBeGreaterThan(9000);
  expect(messages.at(-1)).toEqual(request(1, 9999));
});

test('messages that were sent or are too old no longer wait', () => {
  const backlog = new Backlog(2, 1000);
  backlog.put(message(request(0, 1)), at(0));
  backlog.put(message(request(1, 1)), at(10));
  backlog.put(message(ok(0, 1)), at(500));
  backlog.sent(1);
  expect(kept(backlog)).toEqual([request(1, 1), ok(0, 1)]);
  expect(backlog.expire(at(1009))).toBe(0);
  expect(backlog.expire(at(1010))).toBe(1);
  expect(kept(backlog)).toEqual([ok(0, 1)]);
  backlog.sent(5);
  expect(backlog.isEmpty).toBe(true);
});
