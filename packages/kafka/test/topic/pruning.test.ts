import { type Instant, monotonicClock } from '@leadership/core/adapter';
import { after, HealthReporter } from '@leadership/core/internal/engine';
import { formatRecord, type LedgerRecord, pinRegister } from '@leadership/core/internal/lease';
import { recordingHost } from '@leadership/testkit/adapter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chains, type Standing } from '../../src/topic/chains.ts';
import { dueIn, pruning } from '../../src/topic/pruning.ts';
import type { TopicOptions } from '../../src/topic/topic.ts';
import { noClient } from '../support/no-client.ts';

function record(changes: Partial<LedgerRecord> = {}): LedgerRecord {
  const names = { group: 'g', id: 'i/1', member: 'm', incarnation: 'mine', kind: 'hold' };
  return {
    ...names,
    partition: 0,
    after: null,
    height: 0,
    token: 5n,
    thresholdMs: 1000,
    ...changes,
  };
}

const self = {
  group: 'g',
  incarnation: 'mine',
  pace: { batch: 10, stillMs: 60_000, oldMs: 900_000 },
  now: 100_000 as Instant,
};

/** The time of the last record by the brokers' clock. */
const writtenMs = 1_700_000_000_000;

function standing(
  stands: LedgerRecord,
  offset: number | bigint,
  receivedAt: number = self.now,
): Standing {
  return {
    record: stands,
    offset: BigInt(offset),
    text: formatRecord(stands),
    receivedAt: receivedAt as Instant,
    writtenMs,
  };
}

/** A topic that cannot be reached. */
const nowhere: TopicOptions = {
  topic: 't',
  partitions: 1,
  check: 'off',
  use: 'ledger',
  thresholdMs: 1000,
  clock: monotonicClock,
  limitMs: 1,
  requestTimeoutMs: 1,
  client: noClient,
};

describe('how far a partition of the topic may be cut', () => {
  it("L10: is below the earliest record of the greatest height of every chain, including other groups' chains", () => {
    const chain = fc.record({
      group: fc.constantFrom('g', 'h', 'dead'),
      register: fc.constantFrom(pinRegister, 0),
      height: fc.nat(6),
    });
    fc.assert(
      fc.property(fc.array(chain, { minLength: 1 }), (log) => {
        const known = chains();
        log.forEach(({ group, register, height }, offset) =>
          known.note(standing(record({ group, partition: register, height }), offset)),
        );
        const lowest = Number(known.lowest());
        // A reader that starts there finds the same records in effect as a reader of the whole log.
        const current = (from: number, group: string, register: number): number => {
          let best = -1;
          log.forEach((one, offset) => {
            const isOwn = offset >= from && one.group === group && one.register === register;
            if (isOwn && (best < 0 || one.height > (log[best]?.height ?? 0))) best = offset;
          });
          return best;
        };
        for (const group of ['g', 'h', 'dead']) {
          for (const register of [pinRegister, 0])
            expect(current(lowest, group, register)).toBe(current(0, group, register));
        }
      }),
    );
  });

  it('is pruned by its leader, once a whole batch can be removed', () => {
    const known = chains();
    known.note(standing(record({ partition: 1 }), 9));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
    known.note(standing(record({ partition: 1, height: 1 }), 10));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toEqual({
      kind: 'cut',
      below: 10n,
    });
    known.note(standing(record({ partition: 1, height: 2, incarnation: 'another' }), 20));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
  });

  it('carries the pin up first, because it is never renewed', () => {
    const known = chains();
    const pin = standing(record({ partition: pinRegister, kind: 'pin', id: 'pin/1' }), 0);
    known.note(pin);
    known.note(standing(record(), 25));
    expect(dueIn({ partition: 0, start: 0n, end: 9n }, known, self)).toBeUndefined();
    expect(dueIn({ partition: 0, start: 0n, end: 26n }, known, self)).toEqual({
      kind: 'carry',
      what: [pin],
    });
    known.note(standing({ ...pin.record, height: 1, id: 'pin/2', after: 'pin/1' }, 26));
    expect(dueIn({ partition: 0, start: 0n, end: 27n }, known, self)).toEqual({
      kind: 'cut',
      below: 25n,
    });
  });

  it('carries up old records even if few followed: its own pin after 15 minutes, other groups after twice that', () => {
    const due = (pinAgeMs: number, otherAgeMs: number, seenForMs = 0) => {
      const known = chains();
      const pin = standing(
        record({ partition: pinRegister, kind: 'pin' }),
        0,
        self.now - seenForMs,
      );
      const other = standing(record({ group: 'dead' }), 1, self.now - 60_000);
      known.note({ ...pin, writtenMs: writtenMs - pinAgeMs });
      known.note({ ...other, writtenMs: writtenMs - otherAgeMs });
      known.note(standing(record(), 2));
      const found = dueIn({ partition: 0, start: 0n, end: 3n }, known, self);
      return found?.kind === 'carry' ? found.what.map(({ offset }) => Number(offset)) : found;
    };
    expect(due(899_999, 1_799_999)).toBeUndefined();
    // As soon as it is read: no member must have led for that time.
    expect(due(900_000, 1_799_999)).toEqual([0]);
    expect(due(0, 1_800_000)).toEqual([1]);
    // And by its own clock, if the time stamps come from members with wrong clocks.
    expect(due(-3_600_000, 0, 900_000)).toEqual([0]);
  });

  it('carries up other groups without live writers, and stops at those that may have some', () => {
    const known = chains();
    const dead = standing(record({ group: 'dead' }), 3, self.now - 60_000);
    const deadPin = standing(
      record({ group: 'dead', partition: pinRegister, kind: 'pin' }),
      4,
      self.now - 60_000,
    );
    const quiet = standing(record({ group: 'quiet' }), 5, self.now - 59_999);
    const slow = standing(record({ group: 'slow', thresholdMs: 6_001 }), 6, self.now - 60_000);
    for (const one of [dead, deadPin, quiet, slow, standing(record(), 50)]) known.note(one);
    expect(dueIn({ partition: 0, start: 0n, end: 51n }, known, self)).toEqual({
      kind: 'carry',
      what: [dead, deadPin],
    });
    for (const [index, one] of [dead, deadPin].entries())
      known.note(standing({ ...one.record, height: 1 }, 51 + index));
    expect(dueIn({ partition: 0, start: 0n, end: 53n }, known, self)).toBeUndefined();
  });

  it('keeps unknown fields of other releases in the copy, under another id and as the successor', async () => {
    const sent: string[] = [];
    const later = {
      ...record({ group: 'later', kind: 'lease-of-tomorrow', id: 'l/1', height: 7 }),
      token: '5',
      proof: ['new'],
    };
    const known = chains();
    let now = self.now;
    known.note({
      ...standing(record({ group: 'later', height: 7, id: 'l/1' }), 0, 0),
      text: JSON.stringify(later),
    });
    known.note(standing(record(), 25));
    const pruner = pruning({
      ...self,
      member: 'm',
      topic: nowhere,
      warnings: new HealthReporter(recordingHost('a'), 'warning'),
      clock: { ...monotonicClock, now: () => now },
      signal: new AbortController().signal,
      sender: { send: async (_partition, value) => void sent.push(value) },
    });
    pruner.look({ partition: 0, start: 0n, end: 1000n }, known);
    pruner.look({ partition: 0, start: 0n, end: 1000n }, known);
    expect(sent.map((value) => JSON.parse(value) as unknown)).toEqual([
      { ...later, id: 'm/mine/again.1', after: 'l/1', height: 8 },
    ]);
    // The copy got lost, or the topic was recreated.
    now = after(now, 5_000);
    pruner.look({ partition: 0, start: 0n, end: 36n }, known);
    expect(sent).toHaveLength(2);
  });
});
