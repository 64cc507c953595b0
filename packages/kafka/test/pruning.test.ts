import { after, type Instant, monotonicClock, raised } from '@leadership/core/backend';
import { formatRecord, type LedgerRecord, pinRegister } from '@leadership/core/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chains, type Standing } from '../src/chains.ts';
import { dueIn, pruning } from '../src/pruning.ts';
import type { TopicOptions } from '../src/topic.ts';
import { noClient } from './support/no-client.ts';

function record(changes: Partial<LedgerRecord> = {}): LedgerRecord {
  const names = { group: 'g', id: 'i/1', member: 'm', incarnation: 'mine', kind: 'hold' };
  return { ...names, partition: 0, after: null, height: 0, token: 5n, thresholdMs: 1000, ...changes };
}

const self = { group: 'g', incarnation: 'mine', pace: { batch: 10, stillMs: 60_000, oldMs: 900_000 }, now: 100_000 as Instant };

/** When the last of the records was written, by the brokers' clock. */
const writtenMs = 1_700_000_000_000;

function standing(stands: LedgerRecord, offset: number | bigint, receivedAt: number = self.now): Standing {
  return { record: stands, offset: BigInt(offset), text: formatRecord(stands), receivedAt: receivedAt as Instant, writtenMs };
}

/** A topic that nobody gets to. */
const nowhere: TopicOptions = {
  ...{ topic: 't', partitions: 1, check: 'off', use: 'ledger', thresholdMs: 1000, clock: monotonicClock, limitMs: 1, requestTimeoutMs: 1 },
  client: noClient,
};

describe('how far a partition of the topic may be cut', () => {
  it('L10: is below the earliest of the greatest height of every chain, those of other groups included', () => {
    const chain = fc.record({ group: fc.constantFrom('g', 'h', 'dead'), register: fc.constantFrom(pinRegister, 0), height: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(chain, { minLength: 1 }), (log) => {
        const known = chains();
        log.forEach(({ group, register, height }, offset) => known.note(standing(record({ group, partition: register, height }), offset)));
        const lowest = Number(known.lowest());
        // Whoever reads from there finds the same in effect as one who reads everything.
        const current = (from: number, group: string, register: number): number => {
          let best = -1;
          log.forEach((one, offset) => {
            const isOwn = offset >= from && one.group === group && one.register === register;
            if (isOwn && (best < 0 || one.height > (log[best]?.height ?? 0))) best = offset;
          });
          return best;
        };
        for (const group of ['g', 'h', 'dead']) {
          for (const register of [pinRegister, 0]) expect(current(lowest, group, register)).toBe(current(0, group, register));
        }
      }),
    );
  });

  it('is looked after by whoever leads, once it is worth it', () => {
    const known = chains();
    known.note(standing(record({ partition: 1 }), 9));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
    known.note(standing(record({ partition: 1, height: 1 }), 10));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toEqual({ kind: 'cut', below: 10n });
    known.note(standing(record({ partition: 1, height: 2, incarnation: 'another' }), 20));
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
  });

  it('carries the pin up first, which nobody renews', () => {
    const known = chains();
    const pin = standing(record({ partition: pinRegister, kind: 'pin', id: 'pin/1' }), 0);
    known.note(pin);
    known.note(standing(record(), 25));
    expect(dueIn({ partition: 0, start: 0n, end: 9n }, known, self)).toBeUndefined();
    expect(dueIn({ partition: 0, start: 0n, end: 26n }, known, self)).toEqual({ kind: 'carry', what: [pin] });
    known.note(standing({ ...pin.record, height: 1, id: 'pin/2', after: 'pin/1' }, 26));
    expect(dueIn({ partition: 0, start: 0n, end: 27n }, known, self)).toEqual({ kind: 'cut', below: 25n });
  });

  it('carries up what has grown old, however little was written since: the own pin after a quarter of an hour, other groups after twice that', () => {
    const due = (pinAgeMs: number, otherAgeMs: number, seenForMs = 0) => {
      const known = chains();
      const pin = standing(record({ partition: pinRegister, kind: 'pin' }), 0, self.now - seenForMs);
      const other = standing(record({ group: 'dead' }), 1, self.now - 60_000);
      known.note({ ...pin, writtenMs: writtenMs - pinAgeMs });
      known.note({ ...other, writtenMs: writtenMs - otherAgeMs });
      known.note(standing(record(), 2));
      const found = dueIn({ partition: 0, start: 0n, end: 3n }, known, self);
      return found?.kind === 'carry' ? found.what.map(({ offset }) => Number(offset)) : found;
    };
    expect(due(899_999, 1_799_999)).toBeUndefined();
    // As soon as it is read: nobody has to have led for so long.
    expect(due(900_000, 1_799_999)).toEqual([0]);
    expect(due(0, 1_800_000)).toEqual([1]);
    // And by the own clock, where stamps are those of members whose clocks are wrong.
    expect(due(-3_600_000, 0, 900_000)).toEqual([0]);
  });

  it('carries up other groups where nobody is about to write, and stops at those where somebody may be', () => {
    const known = chains();
    const dead = standing(record({ group: 'dead' }), 3, self.now - 60_000);
    const deadPin = standing(record({ group: 'dead', partition: pinRegister, kind: 'pin' }), 4, self.now - 60_000);
    const quiet = standing(record({ group: 'quiet' }), 5, self.now - 59_999);
    const slow = standing(record({ group: 'slow', thresholdMs: 6_001 }), 6, self.now - 60_000);
    for (const one of [dead, deadPin, quiet, slow, standing(record(), 50)]) known.note(one);
    expect(dueIn({ partition: 0, start: 0n, end: 51n }, known, self)).toEqual({ kind: 'carry', what: [dead, deadPin] });
    for (const [index, one] of [dead, deadPin].entries()) known.note(standing({ ...one.record, height: 1 }, 51 + index));
    expect(dueIn({ partition: 0, start: 0n, end: 53n }, known, self)).toBeUndefined();
  });

  it('carries up what it knows nothing of: all that another release wrote, under another id, on top of the same', async () => {
    const sent: string[] = [];
    const later = { ...record({ group: 'later', kind: 'lease-of-tomorrow', id: 'l/1', height: 7 }), token: '5', proof: ['new'] };
    const known = chains();
    let now = self.now;
    known.note({ ...standing(record({ group: 'later', height: 7, id: 'l/1' }), 0, 0), text: JSON.stringify(later) });
    known.note(standing(record(), 25));
    const pruner = pruning({
      ...self,
      member: 'm',
      topic: nowhere,
      warnings: raised({ warning: () => ({ [Symbol.dispose]: () => undefined }) }, 'warning'),
      clock: { ...monotonicClock, now: () => now },
      signal: new AbortController().signal,
      sender: { send: async (_partition, value) => void sent.push(value) },
    });
    pruner.look({ partition: 0, start: 0n, end: 1000n }, known);
    pruner.look({ partition: 0, start: 0n, end: 1000n }, known);
    expect(sent.map((value) => JSON.parse(value) as unknown)).toEqual([{ ...later, id: 'm/mine/again.1', after: 'l/1', height: 8 }]);
    // It got lost, or the topic was deleted and made again.
    now = after(now, 5_000);
    pruner.look({ partition: 0, start: 0n, end: 36n }, known);
    expect(sent).toHaveLength(2);
  });
});
