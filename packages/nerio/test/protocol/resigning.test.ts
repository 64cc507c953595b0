import { describe, expect, test } from 'vitest';
import { driftRules, type MemberState, type NerioInput, step } from '../../src/protocol.ts';
import { epochOf, momentAt, selfNamed, settled } from '../support/test-members.ts';

const self = selfNamed('a');
const settleMs = 2 * self.spacingMs;

/** A leader that is a quorum by itself and has no successor. */
class Alone {
  readonly ledFrom: number[] = [];
  #state: MemberState = settled(self, epochOf(['a', 'b'], { kind: 'weights', weights: { a: 2 } }));
  #token = -1n;
  #wakeAt = 0;

  feed(input: NerioInput, at: number): void {
    const { state, outputs, wakeAt } = step(driftRules, this.#state, input, momentAt(at));
    this.#state = state;
    this.#wakeAt = wakeAt;
    for (const output of outputs) {
      if (output.kind !== 'granted' || output.token === this.#token) continue;
      this.#token = output.token;
      this.ledFrom.push(at);
    }
  }

  liveUntil(end: number): void {
    while (this.#wakeAt < end) this.feed({ kind: 'wake' }, this.#wakeAt);
  }
}

function resigned(): Alone {
  const alone = new Alone();
  alone.liveUntil(1000);
  alone.feed({ kind: 'resign', partition: 0, atLeastMs: 0 }, 1000);
  alone.liveUntil(9000);
  expect(alone.ledFrom).toEqual([0]);
  return alone;
}

describe('a resigned leader whose work drained for longer than its abstention (L9)', () => {
  test.each<NerioInput>([
    { kind: 'drained', partition: 0 },
    { kind: 'fenced', partition: 0, lapse: false },
  ])('abstains from the end of the term: %j', (input) => {
    const alone = resigned();
    alone.feed(input, 9000);
    alone.liveUntil(20_000);
    expect(alone.ledFrom.length).toBe(2);
    expect(alone.ledFrom.at(-1)).toBeGreaterThanOrEqual(9000 + settleMs);
  });

  test('stands again at once if its host campaigns meanwhile', () => {
    const alone = resigned();
    alone.feed({ kind: 'campaign', on: true, partition: 0 }, 8900);
    alone.feed({ kind: 'drained', partition: 0 }, 9000);
    alone.liveUntil(20_000);
    expect(alone.ledFrom.at(-1)).toBeLessThan(9000 + settleMs / 2);
  });
});
