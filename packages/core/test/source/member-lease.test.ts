import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Grant } from '../../src/contract/backend.ts';
import { SourceState } from '../../src/source/source-state.ts';
import { after, type Instant, longAgo } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

const partitions = 3;

/** The state of a source without a backend, whose machine sleeps on request. */
function memberState(count: number = partitions) {
  const clock = manualClock();
  let slept = false;
  const suspends = {
    slept: () => {
      const answer = slept;
      slept = false;
      return answer;
    },
  };
  const options = resolveOptions({ group: 'g', partitions: count, thresholdMs: 1000 });
  const { guarantees } = steeredSource().source;
  const state = new SourceState(options, guarantees, clock, suspends);
  return {
    state,
    clock,
    prolonged: (ms: number, sentMsAgo = 0) =>
      state.prolonged(after(clock.now(), ms), after(clock.now(), -sentMsAgo)),
    granted: (partition: number, token: bigint) => state.granted({ partition, token }),
    led: () => [...state.held.held().keys()],
    stateOf: (partition: number) => state.leaderships[partition]?.states.value.state,
    sleep(): void {
      slept = true;
    },
  };
}

/** A grant of one second that was requested `ms` before now. */
function grantSentBefore(now: Instant, ms: number): Grant {
  return { partition: 0, token: 1n, sentAt: after(now, -ms), until: after(now, 1000) };
}

describe('the lease of a member', () => {
  it('prolongs all its terms with one proof (M2)', async () => {
    const { granted, prolonged, led, clock, state } = memberState();
    expect(prolonged(1000)).toBe('began');
    expect([granted(0, 1n), granted(2, 1n)]).toEqual(['began', 'began']);
    await clock.pass(600);
    expect(prolonged(1000)).toBe('prolonged');
    await clock.pass(900);
    expect(led()).toEqual([0, 2]);
    expect(state.leaderships[2]?.remainingMs()).toBe(100);
    await clock.pass(100);
    expect(led()).toEqual([]);
    expect(state.leaderships[0]?.states.value).toMatchObject({
      state: 'fenced',
      reason: 'expired',
    });
  });

  it('begins no term without a proof, or after it has expired', () => {
    const { granted, prolonged, clock } = memberState();
    expect(granted(0, 1n)).toBe('over');
    prolonged(1000);
    clock.block(1000);
    expect(granted(0, 1n)).toBe('over');
  });

  it('revives none of its terms once it was over, though a blocked loop has ended none (T3, H4, H5)', () => {
    const { granted, prolonged, led, clock, stateOf } = memberState();
    prolonged(1000);
    granted(0, 1n);
    granted(1, 1n);
    clock.block(1000);
    expect(led()).toEqual([]);
    expect(prolonged(1000)).toBe('began');
    expect([stateOf(0), stateOf(1), led()]).toEqual(['fenced', 'fenced', []]);
    expect([granted(0, 1n), granted(1, 2n)]).toEqual(['over', 'began']);
    expect(led()).toEqual([1]);
  });

  it('ignores an earlier deadline that arrives later, and a proof that has expired on arrival', () => {
    const { granted, prolonged, led, clock } = memberState();
    prolonged(1000);
    granted(0, 1n);
    expect([prolonged(500), prolonged(-1)]).toEqual(['prolonged', 'prolonged']);
    clock.block(999);
    expect(led()).toEqual([0]);
    clock.block(1);
    expect(prolonged(0)).toBe('over');
    expect(granted(0, 2n)).toBe('over');
  });

  it('ends with a sleep of the machine, and no proof that was requested before counts (H6)', () => {
    const { granted, prolonged, sleep, led, clock, state } = memberState();
    prolonged(1000);
    granted(0, 1n);
    clock.block(10);
    sleep();
    expect(prolonged(1000)).toBe('over');
    expect(state.leaderships[0]?.states.value).toMatchObject({ reason: 'suspended' });
    expect(granted(0, 2n)).toBe('over');
    expect(prolonged(5000, 1)).toBe('over');
    expect(prolonged(1000)).toBe('began');
    expect([granted(0, 2n), led()]).toEqual(['began', [0]]);
  });

  it('leads nothing in the subscribers of the first term that a sleep has ended (H6)', () => {
    const { granted, prolonged, sleep, led, state } = memberState();
    const seen: number[][] = [];
    prolonged(1000);
    for (const partition of [0, 1, 2]) granted(partition, 1n);
    state.leaderships[0]?.states.value$.subscribe(() => void seen.push(led()));
    sleep();
    prolonged(1000);
    expect(seen).toEqual([[0, 1, 2], []]);
  });

  it('does not prolong a term with a deadline of its own, nor is it prolonged by one', () => {
    const { granted, prolonged, led, clock, state } = memberState();
    const own = (partition: number, ms: number): string =>
      state.granted({ partition, token: 1n, until: after(clock.now(), ms), sentAt: clock.now() });
    prolonged(500);
    expect([own(0, 100), granted(1, 1n)]).toEqual(['began', 'began']);
    expect([granted(0, 1n), own(1, 9000)]).toEqual(['prolonged', 'prolonged']);
    prolonged(600);
    clock.block(100);
    expect(led()).toEqual([1]);
    clock.block(500);
    expect(led()).toEqual([]);
  });

  it('ends a term whose subscriber ends the lease while it begins', () => {
    const { granted, prolonged, clock, state, stateOf } = memberState();
    prolonged(1000);
    state.leaderships[0]?.states.value$.subscribe((leadership) => {
      if (leadership.state !== 'leading') return;
      clock.block(1000);
      prolonged(1000);
    });
    granted(0, 1n);
    expect(stateOf(0)).toBe('fenced');
  });

  it('has one timer, however many terms rest on it (H4)', async () => {
    const { granted, prolonged, led, clock, stateOf } = memberState(100);
    prolonged(1000);
    const before = clock.pending;
    for (let partition = 0; partition < 100; partition += 1) granted(partition, 1n);
    expect(clock.pending - before).toBe(1);
    await clock.pass(900);
    prolonged(1000);
    await clock.pass(900);
    expect([led().length, stateOf(99)]).toEqual([100, 'leading']);
    await clock.pass(100);
    expect(stateOf(99)).toBe('fenced');
  });

  it('measures its renewals while a term rests on it', async () => {
    const { granted, prolonged, clock, state } = memberState();
    const measured = () => state.healthTracker.health().measured;
    prolonged(1000);
    prolonged(1100, 50);
    expect(measured()).toEqual({});
    granted(0, 1n);
    await clock.pass(300);
    prolonged(1000, 40);
    expect(measured()).toEqual({ renewalMs: 40, leaseMarginMs: 800 });
    state.leaderships[0]?.fence('superseded');
    await clock.pass(300);
    prolonged(1000, 90);
    expect(measured()).toEqual({ renewalMs: 40, leaseMarginMs: 800 });
  });

  it('measures no time of a synchronous subscriber, which may be slow', () => {
    const { source, host, clock } = steeredSource();
    const state$ = source.role(0).leadership$;
    const slow = state$.subscribe(({ state }) => state === 'leading' && clock.block(500));
    host.granted(grantSentBefore(clock.now(), 40));
    expect(source.role(0).isLeading()).toBe(true);
    expect(source.health().measured).toEqual({ renewalMs: 40 });
    slow.unsubscribe();
  });
});

/** An event of a source. */
type Event =
  | { readonly kind: 'prolonged'; readonly ms: number; readonly sentMsAgo: number }
  | { readonly kind: 'granted'; readonly partition: number; readonly offset: number }
  | {
      readonly kind: 'own';
      readonly partition: number;
      /** The token, counted from that of the latest term there. */
      readonly offset: number;
      readonly ms: number;
    }
  | { readonly kind: 'lost'; readonly partition: number }
  | { readonly kind: 'block' | 'pass'; readonly ms: number }
  | { readonly kind: 'sleep' };

const partition = fc.nat(partitions - 1);
const offset = fc.integer({ min: -1, max: 1 });
const ms = fc.integer({ min: -20, max: 300 });
const history = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('prolonged'),
        ms,
        sentMsAgo: fc.nat(60),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('granted'), partition, offset }) },
    fc.record({ kind: fc.constant('own'), partition, offset, ms }),
    fc.record({ kind: fc.constant('lost'), partition }),
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('block', 'pass'), ms: fc.nat(90) }) },
    fc.record({ kind: fc.constant('sleep') }),
  ) as fc.Arbitrary<Event>,
  { maxLength: 40 },
);

/** A term, by what has been proved about it: the member leads until a moment that no proof covers. */
interface Proved {
  readonly token: number;
  readonly isOwn: boolean;
  readonly beganAt: number;
  readonly proofs: { readonly at: number; readonly until: number }[];
}

/** The model: it keeps every proof, and asks of each moment whether all before were covered. */
class Proofs {
  terms: (Proved | undefined)[] = Array.from({ length: partitions }, () => undefined);
  #member: Proved['proofs'] = [];
  readonly tokens: number[] = Array.from({ length: partitions }, () => 0);
  #sleptAt: number = longAgo;

  slept(now: number): void {
    this.#sleptAt = now;
    this.#member = [];
    this.terms = this.terms.map(() => undefined);
  }

  prolonged(now: number, until: number, sentAt: number): void {
    if (sentAt >= this.#sleptAt) this.#member.push({ at: now, until });
  }

  granted(now: number, index: number, token: number, proof?: { until: number; sentAt: number }) {
    if (proof !== undefined && proof.sentAt < this.#sleptAt) return;
    const term = this.terms[index];
    if (term !== undefined && this.leads(index, now) && term.token === token) {
      if (term.isOwn && proof) term.proofs.push({ at: now, until: proof.until });
      return;
    }
    const isNew = token > (this.tokens[index] ?? 0);
    const isOwn = proof !== undefined;
    const proofs = isOwn ? [{ at: now, until: proof.until }] : this.#member;
    const covers = proofs.some(({ at, until }) => at <= now && now < until);
    if (!isNew || !covers) return;
    this.terms[index] = { token, isOwn, beganAt: now, proofs };
    this.tokens[index] = token;
  }

  leads(index: number, now: number): boolean {
    const term = this.terms[index];
    if (term === undefined) return false;
    const { beganAt, proofs } = term;
    // A proof that arrives at the very end of the one before comes too late.
    for (let moment = beganAt; moment <= now; moment += 1)
      if (!proofs.some(({ at, until }) => (at < moment || at <= beganAt) && moment < until))
        return false;
    return true;
  }
}

describe('any history of proofs', () => {
  it('lets a member lead exactly as long as no moment of a term lacks a proof (M2, T3, H4, H5)', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (events) => {
        const { state, clock, prolonged, granted, sleep, stateOf } = memberState();
        const model = new Proofs();
        const take = async (event: Event): Promise<void> => {
          const now = clock.now();
          const tokenOf = ({
            partition,
            offset,
          }: {
            readonly partition: number;
            readonly offset: number;
          }): number => Math.max(1, (model.tokens[partition] ?? 0) + offset);
          switch (event.kind) {
            case 'prolonged': {
              prolonged(event.ms, event.sentMsAgo);
              return model.prolonged(now, now + event.ms, now - event.sentMsAgo);
            }
            case 'granted': {
              const token = tokenOf(event);
              granted(event.partition, BigInt(token));
              return model.granted(now, event.partition, token);
            }
            case 'own': {
              const until = after(now, event.ms);
              const { partition } = event;
              const token = tokenOf(event);
              state.granted({ partition, token: BigInt(token), until, sentAt: now });
              return model.granted(now, partition, token, { until, sentAt: now });
            }
            case 'lost':
              state.leaderships[event.partition]?.fence('superseded');
              model.terms[event.partition] = undefined;
              return;
            case 'sleep':
              sleep();
              // The next proof notices it.
              prolonged(0);
              return model.slept(now);
            case 'block':
              return clock.block(event.ms);
            case 'pass':
              return await clock.pass(event.ms);
          }
        };
        for (const event of events) {
          await take(event);
          const now = clock.now();
          const expected = model.terms.map((_, index) => model.leads(index, now));
          expect(state.leaderships.map((leadership) => leadership.isLeading())).toEqual(expected);
          const tokens = model.terms.map((term, index) =>
            expected[index] ? BigInt(term?.token ?? 0) : undefined,
          );
          expect(state.leaderships.map((one) => one.current()?.token)).toEqual(tokens);
          // Timers have run, so the subscribers know it as well.
          if (event.kind === 'pass')
            expect([0, 1, 2].map((index) => stateOf(index) === 'leading')).toEqual(expected);
        }
        state.complete();
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
