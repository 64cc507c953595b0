// The outputs that wait for the disk, and the limit of that wait.
import type { Clock, Instant } from '@leadership/core/adapter';
import { expect, test } from 'vitest';
import type { NerioOutput } from '../../src/protocol.ts';
import { electorateOf } from '../../src/protocol.ts';
import { Outbox } from '../../src/source/outbox.ts';
import { epochOf } from '../support/test-members.ts';

const electorate = electorateOf(epochOf(['a', 'b']));
const ping = (beat: number): NerioOutput => ({
  kind: 'send',
  electorate,
  to: 2,
  item: { kind: 'ping', beat },
});
const granted = (partition: number, token: bigint, until: number): NerioOutput => ({
  kind: 'granted',
  partition,
  token,
  until: until as Instant,
  sentAt: 0 as Instant,
});
const leads = (partition: number, member: string): NerioOutput => ({
  kind: 'leader',
  partition,
  leader: { member, incarnation: member, token: 1n },
});
const weak = (partition: number, index: number): NerioOutput => ({
  kind: 'weak',
  partition,
  index,
});

/** An outbox over a disk that completes a write only when the test says so. */
function waiting() {
  const done: NerioOutput[] = [];
  const disk = { durable: 0 };
  let [now, dropped] = [0, 0];
  const clock: Clock = {
    now: () => now as Instant,
    wallMicros: () => 0,
    wake: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const outbox = new Outbox({
    durability: disk,
    clock,
    partitions: 2,
    dropped() {
      dropped += 1;
    },
  });
  const proceed = (): void => {
    for (let next = outbox.next(); next !== undefined; next = outbox.next()) done.push(next);
  };
  return {
    outbox,
    put(outputs: readonly NerioOutput[], version: number): void {
      outbox.put(outputs, version);
      proceed();
    },
    done,
    get dropped() {
      return dropped;
    },
    passes(ms: number): void {
      now += ms;
    },
    writes(version: number): void {
      disk.durable = version;
      proceed();
    },
  };
}

test('an output that depends on a write waits for it, and so do all later outputs (N4)', () => {
  const { outbox, put, done, writes } = waiting();
  put([ping(1)], 0);
  put([ping(2), ping(3)], 2);
  put([ping(4)], 3);
  expect(done).toEqual([ping(1)]);
  writes(1);
  expect(done).toEqual([ping(1)]);
  writes(2);
  expect(done).toEqual([ping(1), ping(2), ping(3)]);
  expect([outbox.appended, outbox.hasDone(3), outbox.hasDone(4)]).toEqual([4, true, false]);
  writes(3);
  expect(done).toHaveLength(4);
  expect(outbox.hasDone(4)).toBe(true);
});

test('outputs that keep coming do not hide that the earlier ones are done', () => {
  const { outbox, put, writes } = waiting();
  put([ping(1)], 1);
  const { appended } = outbox;
  for (let version = 1; version <= 5; version += 1) {
    put([ping(version + 1)], version + 1);
    expect(outbox.hasDone(appended)).toBe(version > 1);
    writes(version);
    expect(outbox.hasDone(appended)).toBe(true);
  }
});

test('only the latest messages wait, and each dropped one is counted', () => {
  const box = waiting();
  const most = 1024 + 2 * 8;
  for (let beat = 1; beat <= most + 500; beat += 1) box.put([ping(beat)], 1);
  expect(box.dropped).toBe(500);
  box.writes(1);
  expect(box.done).toHaveLength(most);
  expect([box.done[0], box.done.at(-1)]).toEqual([ping(501), ping(most + 500)]);
});

test('a disk that hangs costs a bounded amount of memory, whatever the machine outputs', () => {
  const box = waiting();
  for (let round = 1; round <= 5000; round += 1) {
    box.passes(500);
    box.put(
      [
        granted(0, 7n, round * 500 + 1000),
        leads(round % 2, `m${round}`),
        weak(0, round),
        ping(round),
      ],
      1,
    );
  }
  box.writes(1);
  // Two valid proofs, the leader of each of two partitions, the weak leader of one, and the
  // messages.
  expect(box.done.filter(({ kind }) => kind !== 'send')).toEqual([
    granted(0, 7n, 2_500_500),
    leads(1, 'm4999'),
    granted(0, 7n, 2_501_000),
    leads(0, 'm5000'),
    weak(0, 5000),
  ]);
  expect(box.done.filter(({ kind }) => kind === 'send')).toHaveLength(1024 + 2 * 8);
});

test('the end of a term is never dropped, nor the start of the next one', () => {
  const box = waiting();
  const story: readonly NerioOutput[] = [
    granted(0, 7n, 1000),
    { kind: 'drain', partition: 0, token: 7n },
    { kind: 'released', partition: 0 },
    { kind: 'lost', partition: 1, reason: 'expired' },
    granted(0, 8n, 1500),
  ];
  for (const output of story) box.put([output], 1);
  for (let beat = 0; beat < 3000; beat += 1) box.put([ping(beat)], 1);
  box.writes(1);
  expect(box.done.slice(0, story.length)).toEqual(story);
});

test('the proof of a term that has ended meanwhile is dropped (H4)', () => {
  const box = waiting();
  const lost: NerioOutput = { kind: 'lost', partition: 0, reason: 'expired' };
  box.put([granted(0, 7n, 1000), granted(1, 9n, 1000), lost, granted(0, 8n, 1000)], 1);
  box.outbox.forgetProofs(0);
  box.writes(1);
  expect(box.done).toEqual([granted(1, 9n, 1000), lost]);
});
