import { describe, expect, test } from 'vitest';
import { addEvent, contentsHash, historyHash, newHistory } from '../../src/kernel/history-hash.ts';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { rows } from '../../src/rows/protocol.ts';

describe('the history hash', () => {
  test('covers the contents of events, not only their times and places', () => {
    const hashOf = (contents: unknown): string => {
      const history = newHistory(1);
      addEvent(history, 0, 1, contents);
      return historyHash(history);
    };
    const record = { id: 'a/1', token: 7n, height: 3, holders: ['a'], until: 0.5 };
    expect(hashOf({ ...record })).toBe(hashOf(record));
    const others = [
      { id: 'a/2' },
      { token: 8n },
      { token: 7n + 2n ** 40n },
      { height: 4 },
      { holders: ['b'] },
      { until: 0.25 },
    ];
    for (const change of others)
      expect(hashOf({ ...record, ...change }), JSON.stringify(Object.keys(change))).not.toBe(
        hashOf(record),
      );
  });

  test('differs if only the tokens differ', () => {
    const tokens = {
      rules: {
        token: (previous: bigint, wallMicros: number) => previous + 1n + BigInt(wallMicros),
      },
    };
    const [usual, other] = [{}, tokens].map((overrides) =>
      simulate(rows, named(rows.scenarios, 'register'), 7, { ms: 60_000 }, overrides),
    );
    expect(other?.events).toBe(usual?.events);
    expect(other?.historyHash).not.toBe(usual?.historyHash);
  });

  test('depends on the contents of sets and maps', () => {
    expect(contentsHash(new Map([[1, 'a']]))).not.toBe(contentsHash(new Map([[1, 'b']])));
    expect(contentsHash(new Set(['a']))).not.toBe(contentsHash(new Set(['b'])));
    expect(contentsHash([null, true])).not.toBe(contentsHash([null, false]));
  });
});
