// The machine under any sequence of inputs: answers of a store in which anything is written, requests that
// fail, what the host says, and time that stands still or jumps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newMember } from '../../src/lease/new-member.ts';
import type { MemberState } from '../../src/lease/state.ts';
import { step } from '../../src/lease/step.ts';
import type { Input, Output } from '../../src/lease/types.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import { type Instant, never } from '../../src/time/instant.ts';

const thresholdMs = 1000;
const partitions = 2;

type Exchange = Output & { readonly kind: 'exchange' };
type Move = (life: Life) => Input | undefined;

/** One member, and the store that it asks. */
class Life {
  readonly store: RowStore = new RowStore();
  readonly state: MemberState = newMember({
    group: 'g',
    member: 'a',
    incarnation: 'a',
    metadata: {},
    partitions,
    thresholdMs,
    thresholdMsMax: thresholdMs,
    driftRate: 0.01,
    campaign: true,
    jitter: 0.5,
    traits: { changesMax: 4 },
  });
  readonly outputs: Output[] = [];
  now = 0;
  wakeAt: Instant = 0 as Instant;
  flight: Exchange | undefined;
  /** The outputs of the last step, and what was in flight before it. */
  last: readonly Output[] = [];
  before: Exchange | undefined;

  take(input: Input): void {
    const moment = {
      now: this.now as Instant,
      wallMicros: 1_000_000 + Math.round(this.now * 1000),
    };
    const { outputs, wakeAt } = step(this.state, input, moment);
    this.last = outputs;
    this.before = this.flight;
    this.wakeAt = wakeAt;
    if (input.kind === 'exchanged' || input.kind === 'failed') this.flight = undefined;
    for (const output of outputs) {
      this.outputs.push(output);
      if (output.kind === 'exchange') this.flight = output;
    }
  }
}

/** The store answers the request, or fails before or after it has made the changes. */
function answered(how: 'made' | 'lost' | 'unknown'): Move {
  return ({ flight, store }) => {
    if (flight === undefined) return { kind: 'wake' };
    const { id } = flight;
    const answer = how === 'lost' ? undefined : store.exchange(flight);
    return how === 'made' && answer !== undefined
      ? { kind: 'exchanged', id, answer }
      : { kind: 'failed', id, code: 'unreachable', message: 'no answer' };
  };
}

/** Someone else writes a row: removes it, sets it back, makes it another one, or writes garbage. */
function written(
  name: string,
  how: 'gone' | 'back' | 'other' | 'garbage',
  token: bigint,
  session: string,
): Move {
  return ({ store, outputs }) => {
    const texts = outputs.flatMap((output) =>
      output.kind === 'exchange'
        ? output.changes.flatMap((change) => (change.name === name ? [change.text] : []))
        : [],
    );
    const now = store.rows.get(name);
    const hold = { kind: 'hold', life: 'x', version: 9, member: 'b', incarnation: 'b' };
    const other = JSON.stringify({
      ...hold,
      session,
      token: String(token),
      seen: 0,
      id: 'x',
    });
    const text = { gone: null, back: texts[0] ?? null, other, garbage: `${now?.slice(1)}` }[how];
    store.put(name, text);
    return undefined;
  };
}

const sessions = ['a/1', 'a/2', 'a/3', 'b/1'] as const;
const name = fc.constantFrom(
  ...['pin', 'partition#0', 'partition#1', 'member#a'],
  ...sessions.map((session) => `session#${session}`),
);
const hostile = fc.constantFrom('gone', 'back', 'other', 'garbage');
const index = fc.nat(partitions);
const token = fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, 2n ** 63n - 1n));

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(answered('made')) },
  { weight: 6, arbitrary: fc.constant((): Input => ({ kind: 'wake' })) },
  { weight: 2, arbitrary: fc.constantFrom('lost' as const, 'unknown' as const).map(answered) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, hostile, token, fc.constantFrom(...sessions))
      .map(([row, how, above, session]) => written(row, how, above, session)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('drained', 'fenced', 'over'), index, fc.boolean()).map(
      ([kind, partition, isCurrent]): Move =>
        ({ state }) => ({
          kind: kind as 'drained',
          partition,
          token: isCurrent ? (state.partitions[partition]?.token ?? 0n) : 1n,
        }),
    ),
  },
  fc.tuple(index, fc.constantFrom('placement', 'self', 'nobody'), fc.option(token)).map(
    ([partition, who, above]): Move =>
      () => ({ kind: 'prefer', partition, who: who as 'self', ...(above !== null && { above }) }),
  ),
  fc.tuple(index, fc.constantFrom(0, 500, 10_000)).map(
    ([partition, abstainMs]): Move =>
      () => ({ kind: 'resign', partition, abstainMs }),
  ),
  fc.tuple(index, token).map(
    ([partition, above]): Move =>
      () => ({
        kind: 'exceed',
        partition,
        token: above,
      }),
  ),
  fc.tuple(fc.boolean(), fc.option(index)).map(
    ([on, partition]): Move =>
      () => ({ kind: 'campaign', on, ...(partition !== null && { partition }) }),
  ),
  fc.constantFrom<Move>(
    () => ({ kind: 'notified' }),
    ({ store }) => ({ kind: 'notified', rows: [...store.rows] }),
    () => ({ kind: 'died', incarnation: 'b' }),
    ({ store }) => {
      store.restore([...store.rows].slice(1));
      return undefined;
    },
  ),
);

/** How long after the last move: -1 means exactly at `wakeAt`. */
const elapsed = fc.oneof(fc.constant(-1), fc.constant(0), fc.nat(50), fc.nat(1500));
const sequences = fc.array(fc.tuple(elapsed, moves), { maxLength: 60 });
/** A sequence begins with a member that leads, or with one that has read nothing yet. */
const untilItLeads = Array.from({ length: 12 }, () => [-1, answered('made')] as const);
const lives = fc
  .tuple(fc.boolean(), sequences)
  .map(([leads, sequence]) => [...(leads ? untilItLeads : []), ...sequence]);

/** Runs sequences, and calls `check` after each step. */
function live(check: (life: Life, input: Input) => void): void {
  fc.assert(
    fc.property(lives, (sequence) => {
      const life = new Life();
      const take = (input: Input): void => {
        life.take(input);
        check(life, input);
      };
      for (const [ms, move] of sequence) {
        if (ms >= 0) life.now += ms;
        else if (life.wakeAt !== never) life.now = Math.max(life.now, life.wakeAt);
        const input = move(life);
        if (input) take(input);
        if (life.wakeAt <= life.now) take({ kind: 'wake' });
      }
    }),
    { numRuns: 500 },
  );
}

describe('any sequence of inputs', () => {
  it('never sets a wake-up that has already passed: no busy loop', () => {
    live(({ wakeAt, now }, { kind }) => {
      if (kind === 'wake') expect(wakeAt).toBeGreaterThan(now);
    });
  });

  it('has one exchange in flight at most, which changes each row once and no more rows than the store takes', () => {
    live(({ last, before }, { kind }) => {
      const sent = last.filter((output): output is Exchange => output.kind === 'exchange');
      if (before && kind !== 'exchanged' && kind !== 'failed') expect(sent).toEqual([]);
      expect(sent.length).toBeLessThanOrEqual(1);
      for (const { changes } of sent) {
        expect(new Set(changes.map((change) => change.name)).size).toBe(changes.length);
        expect(changes.length).toBeLessThanOrEqual(4);
      }
    });
  });

  it('grants only with time left, one growing token at a time, and reports each end once (T3)', () => {
    let granted = 0;
    live((life, input) => {
      if (life.outputs.length === life.last.length) ledBy.delete(life);
      const led = ledBy.get(life) ?? newLed();
      ledBy.set(life, led);
      for (const output of life.last) {
        if (output.kind === 'prolonged') led.until = output.until;
        if (output.kind === 'granted') {
          granted += 1;
          expect(led.current.has(output.partition)).toBe(false);
          expect(output.token).toBeGreaterThan(led.greatest.get(output.partition) ?? 0n);
          led.current.add(output.partition);
          led.greatest.set(output.partition, output.token);
        }
        if (output.kind === 'released' || output.kind === 'lost')
          expect(led.current.delete(output.partition)).toBe(true);
      }
      // The host has ended the term itself.
      if (
        (input.kind === 'fenced' || input.kind === 'over') &&
        !life.state.led.has(input.partition)
      )
        led.current.delete(input.partition);
      if (led.current.size > 0) expect(led.until).toBeGreaterThan(life.now);
    });
    // About 570, of random sequences.
    expect(granted).toBeGreaterThan(250);
  });
});

interface Led {
  readonly current: Set<number>;
  readonly greatest: Map<number, bigint>;
  until: number;
}

const ledBy = new WeakMap<Life, Led>();
const newLed = (): Led => ({ current: new Set(), greatest: new Map(), until: 0 });
