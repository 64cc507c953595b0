import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Combination, everySource } from '../../src/combine/combination.ts';
import { Move, type Mover, type Order, thresholdMs } from '../support/move.ts';

const moves: Move[] = [];
/** Two members that wait for each other abstain longer each time. Milliseconds. */
const timeoutMs = 200 * thresholdMs;

function moveBy(rules: Combination, partitions: number): Move {
  const move = new Move(rules, partitions);
  moves.push(move);
  return move;
}

const orders: readonly Order[] = ['A', 'AB', 'BA', 'B'];

/**
 * Replaces every member by one with the next stores, one at a time. Two of them leave in order, one
 * is disconnected for good.
 */
async function wholeMove(rules: Combination): Promise<void> {
  const move = moveBy(rules, 4);
  let members: readonly Mover[] = [0, 1, 2].map(() => move.join('A'));
  for (const order of orders) {
    const next: Mover[] = [];
    for (const [index, old] of members.entries()) {
      // Wall clocks guarantee nothing: tokens must grow within one store and across both.
      vi.setSystemTime(Date.now() - 3_600_000);
      next.push(move.join(order));
      await move.live(thresholdMs / 2);
      if (index === 1) move.cut(old);
      else await move.leave(old);
      await move.untilLed(timeoutMs);
    }
    await move.untilLed(timeoutMs, order);
    members = next;
  }
}

/** Rules that a moving group depends on; `combining-properties.test.ts` covers all rules. */
const mutants: readonly (readonly [string, Combination, RegExp])[] = [
  ['later sources campaign independently', { ...everySource, follows: false }, /leads/],
  [
    'the token is that of the last source',
    { ...everySource, token: (parts) => parts.at(-1)?.term?.token ?? 0n },
    /an earlier token was/,
  ],
];

describe('a group that moves from one store to another', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(async () => {
    for (const move of moves.splice(0)) await move.end();
    vi.useRealTimers();
  });

  it('has one leader at a time, in terms with growing tokens, from the first step to the last (I7, T1)', async () => {
    await wholeMove(everySource);
  });

  it.each(mutants)('fails if %s', async (_name, rules, words) => {
    await expect(wholeMove(rules)).rejects.toThrow(words);
  });

  it('gets a leader if two members each wait for the store that the other one leads', async () => {
    const move = moveBy(everySource, 2);
    const gone = move.join('AB');
    await move.untilLed(5 * thresholdMs);
    const [one, another] = [move.join('AB'), move.join('BA')];
    move.cut(one, 'B');
    move.cut(another, 'A');
    move.cut(gone);
    await move.live(1.5 * thresholdMs);
    move.mend(one, 'B');
    move.mend(another, 'A');
    await move.live(thresholdMs / 2);
    expect([move.leaderOf(0), move.leaderOf(1)]).toEqual([undefined, undefined]);
    await move.untilLed(timeoutMs);
  });
});
