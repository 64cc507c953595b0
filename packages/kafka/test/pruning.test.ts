import { type LedgerRecord, pinRegister } from '@leadership/core/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chains } from '../src/chains.ts';
import { dueIn } from '../src/pruning.ts';

function record(changes: Partial<LedgerRecord> = {}): LedgerRecord {
  const names = { group: 'g', id: 'i/1', member: 'm', incarnation: 'mine', kind: 'hold' };
  return { ...names, partition: 0, after: null, height: 0, token: 5n, thresholdMs: 1000, ...changes };
}

const self = { group: 'g', incarnation: 'mine', batch: 10 };

describe('how far a partition of the topic may be cut', () => {
  it('L10: is below the earliest of the greatest height of every chain, those of other groups included', () => {
    const chain = fc.record({ group: fc.constantFrom('g', 'h', 'dead'), register: fc.constantFrom(pinRegister, 0), height: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(chain, { minLength: 1 }), (log) => {
        const known = chains();
        log.forEach(({ group, register, height }, offset) => known.note(record({ group, partition: register, height }), BigInt(offset)));
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
    known.note(record({ partition: 1 }), 9n);
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
    known.note(record({ partition: 1, height: 1 }), 10n);
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toEqual({ kind: 'cut', below: 10n });
    known.note(record({ partition: 1, height: 2, incarnation: 'another' }), 20n);
    expect(dueIn({ partition: 1, start: 0n, end: 30n }, known, self)).toBeUndefined();
  });

  it('carries the pin up first, which nobody renews', () => {
    const known = chains();
    const pin = record({ partition: pinRegister, kind: 'pin', id: 'pin/1' });
    known.note(pin, 0n);
    known.note(record(), 25n);
    expect(dueIn({ partition: 0, start: 0n, end: 9n }, known, self)).toBeUndefined();
    expect(dueIn({ partition: 0, start: 0n, end: 26n }, known, self)).toEqual({ kind: 'carry', pin });
    known.note({ ...pin, height: 1, id: 'pin/2', after: 'pin/1' }, 26n);
    expect(dueIn({ partition: 0, start: 0n, end: 27n }, known, self)).toEqual({ kind: 'cut', below: 25n });
  });

  it('stops at a group that is dead', () => {
    const known = chains();
    known.note(record({ group: 'dead' }), 3n);
    known.note(record(), 50n);
    expect(dueIn({ partition: 0, start: 0n, end: 51n }, known, self)).toBeUndefined();
  });
});
