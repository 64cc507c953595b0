import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../../src/ledger/ledger.ts';
import { ledgerRules } from '../../../src/ledger/protocol/rules.ts';
import type {
  LedgerInput,
  LedgerOutput,
  MemberConfig,
  PartitionState,
  Step,
} from '../../../src/ledger/protocol/state.ts';
import { newPartition, step } from '../../../src/ledger/protocol/step.ts';
import { holderOf, type LedgerRecord } from '../../../src/ledger/record.ts';
import { after, type Instant, never } from '../../../src/time/instant.ts';
import { strangers } from '../../support/steered-ledger.ts';

const thresholdMs = 1200;
const at = (ms: number): Instant => ms as Instant;

const self = (change: Partial<MemberConfig> = {}): MemberConfig => ({
  group: 'g',
  member: 'a',
  incarnation: 'a',
  partitions: 1,
  thresholdMs,
  thresholdMsMax: thresholdMs,
  driftRate: 0.01,
  shape: 'register',
  hasLeaseRequests: true,
  jitter: 0,
  ...change,
});

/** Steps one partition through a sequence of inputs. */
class Life {
  state: PartitionState;
  outputs: readonly LedgerOutput[] = [];
  wakeAt: Instant = never;
  readonly sent: LedgerRecord[] = [];

  constructor(change: Partial<MemberConfig> = {}) {
    this.state = newPartition(self(change), 0, at(0));
  }

  step(now: number, input: LedgerInput): Step {
    const made = step(ledgerRules, this.state, input, { now: at(now), wallMicros: 0 });
    ({ state: this.state, outputs: this.outputs, wakeAt: this.wakeAt } = made);
    for (const output of made.outputs) if (output.kind === 'write') this.sent.push(output.record);
    return made;
  }

  get last(): LedgerRecord {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('nothing was sent');
    return last;
  }
}

const stages = {
  follower(life: Life): void {
    life.step(0, { kind: 'pin', pin: 'agrees' });
    life.step(0, { kind: 'ranks', ranks: ['a', 'b'] });
    life.step(0, { kind: 'end' });
  },
  leading(life: Life): void {
    stages.follower(life);
    life.step(1212, { kind: 'wake' });
    life.step(1213, { kind: 'written', record: life.last, outcome: 'in-effect' });
  },
  revoking(life: Life): void {
    stages.leading(life);
    life.step(1214, { kind: 'resign', atLeastMs: 0 });
  },
  releasing(life: Life): void {
    stages.revoking(life);
    life.step(1215, { kind: 'drained' });
  },
} as const;

type Stage = keyof typeof stages;
const kinds = (life: Life): string =>
  life.outputs
    .map((output) =>
      output.kind === 'write'
        ? `write ${output.record.kind}`
        : output.kind === 'lost'
          ? `lost ${output.reason}`
          : output.kind,
    )
    .join(', ');
const request: LeaseRequest = { partition: 0, id: 'w', incarnation: 'b', member: 'b', thresholdMs };

describe('one input in each leaseState', () => {
  const stranger = (life: Life): LedgerInput => ({
    kind: 'record',
    record: strangers(life.sent[0], { token: 9n, thresholdMs }),
    receivedAt: at(1300),
  });
  it.each<
    [Stage, string, (life: Life) => LedgerInput, string, PartitionState['leaseState']['kind']]
  >([
    ['follower', 'another’s record', stranger, 'request-lease, leader', 'follower'],
    ['follower', 'a late drained', () => ({ kind: 'drained' }), 'write hold', 'follower'],
    [
      'follower',
      'a late fenced',
      () => ({ kind: 'fenced', lapse: false }),
      'write hold',
      'follower',
    ],
    ['follower', 'resign', () => ({ kind: 'resign', atLeastMs: 0 }), '', 'follower'],
    ['follower', 'no campaign', () => ({ kind: 'campaign', on: false }), '', 'follower'],
    ['follower', 'a pin that differs', () => ({ kind: 'pin', pin: 'differs' }), '', 'follower'],
    [
      'follower',
      'a lease request of another member',
      () => ({ kind: 'requested', request, receivedAt: at(1300) }),
      'write hold',
      'follower',
    ],
    ['leading', 'nothing', () => ({ kind: 'wake' }), '', 'leading'],
    [
      'leading',
      'another’s record',
      stranger,
      'broken, lost superseded, request-lease, leader',
      'follower',
    ],
    [
      'leading',
      'its own record, read back',
      ({ last }) => ({ kind: 'record', record: last, receivedAt: at(1300) }),
      '',
      'leading',
    ],
    ['leading', 'the position lost', () => ({ kind: 'restarted' }), '', 'leading'],
    ['leading', 'resign', () => ({ kind: 'resign', atLeastMs: 0 }), 'drain', 'revoking'],
    ['leading', 'no campaign', () => ({ kind: 'campaign', on: false }), 'drain', 'revoking'],
    [
      'leading',
      'a pin that differs',
      () => ({ kind: 'pin', pin: 'differs' }),
      'lost partitions-differ',
      'follower',
    ],
    ['leading', 'fenced by its host', () => ({ kind: 'fenced', lapse: false }), '', 'follower'],
    ['leading', 'fenced, with lapse', () => ({ kind: 'fenced', lapse: true }), '', 'follower'],
    [
      'leading',
      'drained without a drain',
      () => ({ kind: 'drained' }),
      'released, write release',
      'releasing',
    ],
    [
      'leading',
      'another member is preferred, but sent no lease request',
      () => ({ kind: 'ranks', ranks: ['b', 'a'] }),
      '',
      'leading',
    ],
    [
      'leading',
      'a write with unknown outcome',
      () => ({ kind: 'written', record: strangers(undefined), outcome: 'unknown' }),
      '',
      'leading',
    ],
    ['revoking', 'resign again', () => ({ kind: 'resign', atLeastMs: 0 }), '', 'revoking'],
    ['revoking', 'drained', () => ({ kind: 'drained' }), 'released, write release', 'releasing'],
    ['revoking', 'a drain that timed out', () => ({ kind: 'fenced', lapse: true }), '', 'follower'],
    ['revoking', 'another’s record', stranger, 'broken, lost superseded, leader', 'follower'],
    ['revoking', 'campaign anew', () => ({ kind: 'campaign', on: true }), '', 'revoking'],
    ['releasing', 'drained again', () => ({ kind: 'drained' }), '', 'releasing'],
    [
      'releasing',
      'its release, in effect',
      ({ last }) => ({ kind: 'written', record: last, outcome: 'in-effect' }),
      'leader',
      'follower',
    ],
    [
      'releasing',
      'its release, outcome unknown',
      ({ last }) => ({ kind: 'written', record: last, outcome: 'unknown' }),
      '',
      'releasing',
    ],
    ['releasing', 'another’s record', stranger, 'leader', 'follower'],
  ])('%s: %s', (stage, _, input, outputs, leaseState) => {
    const life = new Life();
    stages[stage](life);
    life.step(1300, input(life));
    expect([kinds(life), life.state.leaseState.kind]).toEqual([outputs, leaseState]);
  });

  it.each([
    ['to the preferred member that sent a lease request', false, 'b'],
    [
      'without a delegate if the request came before a reread: its sender reads again too, and forgets it (L7)',
      true,
      undefined,
    ],
  ])('a holder releases %s', (_what, readsAgain, to) => {
    const life = new Life();
    stages.leading(life);
    life.step(1300, { kind: 'ranks', ranks: ['b', 'a'] });
    life.step(1300, { kind: 'requested', request, receivedAt: at(1300) });
    if (readsAgain) {
      life.step(1310, { kind: 'restarted' });
      life.step(1320, { kind: 'record', record: life.last, receivedAt: at(1320) });
      life.step(1320, { kind: 'end' });
    }
    life.step(1330, { kind: 'resign', atLeastMs: 0 });
    life.step(1340, { kind: 'drained' });
    expect(life.last).toMatchObject({ kind: 'release' });
    expect(life.last.to?.incarnation).toBe(to);
  });

  it.each(['leading', 'revoking'] as const)(
    '%s: the step checks the deadline before its input (H4)',
    (stage) => {
      const life = new Life();
      stages[stage](life);
      life.step(2400, {
        kind: 'record',
        record: { ...life.last, id: 'a/a/0.99', height: 1, after: life.last.id },
        receivedAt: at(2400),
      });
      expect(life.outputs[0]).toEqual({ kind: 'lost', reason: 'expired' });
      expect(life.outputs.some(({ kind }) => kind === 'granted')).toBe(false);
    },
  );

  describe('a member to which a lease was delegated', () => {
    /** Delegates a lease to this member after it sent a lease request to the holder. Returns when it did. */
    const handedOver = (life: Life, now: number): number => {
      const held = strangers(
        life.state.fold.kind === 'following' ? (life.state.fold.effect ?? undefined) : undefined,
        {
          token: life.state.seenToken + 1n,
          thresholdMs,
        },
      );
      life.step(now, { kind: 'record', record: held, receivedAt: at(now) });
      const requestId = life.state.ownRequests.at(-1)?.id ?? 'none';
      const to = { incarnation: 'a', member: 'a', requestId };
      const change = { kind: 'release', to, token: held.token + 1n, thresholdMs } as const;
      life.step(now + 1, {
        kind: 'record',
        record: strangers(held, change),
        receivedAt: at(now + 1),
      });
      return now + 1;
    };

    it('sends lease requests less and less often while the store accepts none of its writes (L7)', () => {
      const life = new Life();
      stages.follower(life);
      let now = 10;
      const pauses: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const handedAt = handedOver(life, now);
        expect(life.state.leaseState.kind).toBe('leading');
        life.step(handedAt + 1, { kind: 'written', record: life.last, outcome: 'unknown' });
        life.step(handedAt + thresholdMs, { kind: 'wake' });
        expect(life.state.leaseState.kind).toBe('follower');
        pauses.push((life.state.requestAt - handedAt) / thresholdMs);
        now = Math.max(handedAt + thresholdMs + 1, life.state.requestAt);
      }
      expect(pauses).toEqual([8, 16, 32, 64]);
    });

    it.each(['in-effect', 'refused'] as const)(
      'sends lease requests as before once a write was answered with %s',
      (outcome) => {
        const life = new Life();
        stages.follower(life);
        const handedAt = handedOver(life, 10);
        life.step(handedAt + 1, { kind: 'written', record: life.last, outcome });
        expect([life.state.unproven, life.state.requestAt < handedAt]).toEqual([0, true]);
      },
    );

    it('sends lease requests as before once a record of its own took effect, even if its write was never answered', () => {
      const life = new Life();
      stages.follower(life);
      const handedAt = handedOver(life, 10);
      life.step(handedAt + 1, { kind: 'written', record: life.last, outcome: 'unknown' });
      life.step(handedAt + 2, { kind: 'record', record: life.last, receivedAt: at(handedAt + 2) });
      expect([life.state.unproven, life.state.requestAt < handedAt]).toEqual([0, true]);
    });
  });

  it('a renewal that lands after the release was decided restores no lease, and is released again (L4)', () => {
    const life = new Life();
    stages.leading(life);
    life.step(1612, { kind: 'wake' });
    const renewal = life.last;
    life.step(1613, { kind: 'resign', atLeastMs: 0 });
    life.step(1614, { kind: 'drained' });
    life.step(1700, { kind: 'record', record: renewal, receivedAt: at(1700) });
    expect(kinds(life)).toBe('write release');
    expect(life.last.after).toBe(renewal.id);
    expect(life.state.leaseState.kind).toBe('releasing');
  });

  it('a claim that lands after the release was decided is released with its own token (T1)', () => {
    const life = new Life({ shape: 'log' });
    stages.follower(life);
    life.step(2424, { kind: 'wake' });
    life.step(3000, { kind: 'record', record: life.last, receivedAt: at(3000) });
    life.step(3612, { kind: 'wake' });
    life.step(3712, { kind: 'wake' });
    const claim = life.last;
    life.step(3720, { kind: 'resign', atLeastMs: 0 });
    expect(life.last.kind).toBe('release');
    life.step(3721, { kind: 'record', record: claim, receivedAt: at(3721) });
    expect([life.last.kind, life.last.after, life.last.token]).toEqual([
      'release',
      claim.id,
      claim.token,
    ]);
  });

  it('a refusal is counted anew after the register was read again (L11)', () => {
    const life = new Life();
    stages.leading(life);
    const { last: held } = life;
    life.step(1612, { kind: 'wake' });
    life.step(1613, { kind: 'written', record: life.last, outcome: 'refused' });
    life.step(1614, { kind: 'restarted' });
    life.step(1615, { kind: 'record', record: held, receivedAt: at(1615) });
    life.step(1615, { kind: 'end' });
    life.step(2012, { kind: 'wake' });
    life.step(2013, { kind: 'written', record: life.last, outcome: 'refused' });
    expect(kinds(life)).not.toContain('reread');
  });
});

describe('any sequence of inputs', () => {
  const inputs: fc.Arbitrary<(life: Life, now: number) => LedgerInput> = fc.oneof(
    { weight: 8, arbitrary: fc.constant(() => ({ kind: 'wake' }) as const) },
    {
      weight: 4,
      arbitrary: fc.nat(3).map((back) => (life: Life, now: number) => own(life, back, now)),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.nat(3), fc.constantFrom('in-effect', 'placed', 'refused', 'unknown'))
        .map(
          ([back, outcome]) =>
            (life: Life) =>
              written(life, back, outcome as 'placed'),
        ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom('hold', 'release', 'other'), fc.nat(2), fc.boolean()).map(
        ([kind, ahead, toUs]) =>
          (life: Life, now: number) =>
            strange(life, kind, ahead, toUs, now),
      ),
    },
    fc.constantFrom('end', 'restarted', 'drained').map((kind) => () => ({ kind }) as LedgerInput),
    fc.subarray(['a', 'b', 'c']).map((ranks) => () => ({ kind: 'ranks', ranks }) as const),
    fc.boolean().map((on) => () => ({ kind: 'campaign', on }) as const),
    fc
      .constantFrom(0, 500, Number.POSITIVE_INFINITY)
      .map((atLeastMs) => () => ({ kind: 'resign', atLeastMs }) as const),
    fc.boolean().map((lapse) => () => ({ kind: 'fenced', lapse }) as const),
    fc
      .constantFrom('agrees', 'agrees', 'unknown', 'differs')
      .map((pin) => () => ({ kind: 'pin', pin }) as LedgerInput),
    fc
      .constantFrom(request, { ...request, thresholdMs: 1e9 })
      .map(
        (one) => (_: Life, now: number) =>
          ({ kind: 'requested', request: one, receivedAt: at(now) }) as const,
      ),
  );
  const own = ({ sent }: Life, back: number, now: number): LedgerInput => {
    const record = sent.at(-1 - back);
    return record ? { kind: 'record', record, receivedAt: at(now) } : { kind: 'wake' };
  };
  const written = ({ sent }: Life, back: number, outcome: 'placed'): LedgerInput => {
    const record = sent.at(-1 - back);
    return record ? { kind: 'written', record, outcome } : { kind: 'wake' };
  };
  const strange = (
    { state, sent }: Life,
    kind: string,
    ahead: number,
    toUs: boolean,
    now: number,
  ): LedgerInput => {
    const effect = state.fold.kind === 'following' ? (state.fold.effect ?? undefined) : sent.at(-1);
    const to = { incarnation: 'a', member: 'a', requestId: state.ownRequests.at(-1)?.id ?? '' };
    const height = (effect?.height ?? -1) + 1 + ahead;
    const record = strangers(effect, {
      kind,
      height,
      token: BigInt(height + 2),
      thresholdMs,
      ...(toUs && kind === 'release' && { to }),
    });
    return { kind: 'record', record, receivedAt: at(now) };
  };
  const moves = fc.array(
    fc.tuple(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1500), fc.constant(-1)), inputs),
    { maxLength: 60 },
  );
  const contenders = fc.record({
    shape: fc.constantFrom('register', 'log'),
    hasLeaseRequests: fc.boolean(),
    jitter: fc.constantFrom(0, 0.9),
  } as const);

  /**
   * Runs one sequence, and calls `check` after each step. An elapsed time of -1 means: exactly at
   * `wakeAt`.
   */
  const live = (check: (life: Life, now: number, before: PartitionState) => void): void =>
    fc.assert(
      fc.property(contenders, moves, (contender, steps) => {
        const life = new Life(contender);
        let now = 0;
        for (const [elapsed, input] of steps) {
          if (elapsed >= 0) now += elapsed;
          else if (life.wakeAt !== never) now = Math.max(now, life.wakeAt);
          const before = life.state;
          life.step(now, input(life, now));
          check(life, now, before);
        }
      }),
      { numRuns: 2000 },
    );

  it('never sets a wake-up that has already passed: no busy loop', () => {
    live((life, now) => expect(life.wakeAt).toBeGreaterThan(now));
  });

  it('causes a bounded number of wake-ups in any period', () => {
    live((life, now) => {
      const { state } = life;
      const idle = new Life();
      idle.state = state;
      idle.wakeAt = life.wakeAt;
      let wakes = 0;
      for (; idle.wakeAt < now + 2 * thresholdMs && wakes < 100; wakes += 1)
        idle.step(idle.wakeAt, { kind: 'wake' });
      // Retries are at least T/12 apart, lease requests T/4, renewals T/3: three dozen in 2T, plus a few
      // deadlines.
      expect(wakes).toBeLessThan(45);
    });
  });

  it('grants only with time left, one growing token at a time, and reports each end once (T3)', () => {
    let believed: bigint | undefined;
    let token = -1n;
    let ofLife: readonly LedgerRecord[] | undefined;
    live((life, now) => {
      if (life.sent !== ofLife) [ofLife, believed, token] = [life.sent, undefined, -1n];
      for (const output of life.outputs) {
        if (output.kind === 'granted') {
          expect(output.until).toBeGreaterThan(now);
          if (believed === undefined) expect(output.token).toBeGreaterThan(token);
          else expect(output.token).toBe(believed);
          believed = output.token;
          token = output.token;
        } else if (output.kind === 'lost' || output.kind === 'released') {
          expect(believed).not.toBeUndefined();
          believed = undefined;
        }
      }
      if (life.state.leaseState.kind === 'follower') believed = undefined;
    });
  });

  it('writes at most once per step, over the record in effect, and never without permission', () => {
    live((life, now, before) => {
      const writes = life.outputs.filter((output) => output.kind === 'write');
      expect(writes.length).toBeLessThan(2);
      for (const { record } of writes) {
        const effect =
          life.state.fold.kind === 'following' ? life.state.fold.effect : life.state.fold.before;
        expect([record.after, record.height]).toEqual([
          effect?.id ?? null,
          (effect?.height ?? -1) + 1,
        ]);
        const isClaim = record.kind === 'hold' && life.state.leaseState.kind === 'follower';
        if (isClaim) expect([life.state.campaigning, life.state.pin]).toEqual([true, 'agrees']);
        if (isClaim && life.state.fold.kind === 'reading')
          expect.unreachable('a claim before the end of the register was read');
        const isOthers = holderOf(effect) !== undefined && holderOf(effect)?.incarnation !== 'a';
        if (isClaim && isOthers && life.state.fold.kind === 'following') {
          expect(now).toBeGreaterThanOrEqual(
            after(life.state.fold.waits.arrivedAt, (effect?.thresholdMs ?? 0) * 1.01),
          );
        }
      }
      expect(before.sequence).toBeLessThanOrEqual(life.state.sequence);
    });
  });

  it('keeps a bounded memory', () => {
    live(({ state: { attempts, ownRequests, pendingRequests } }) => {
      expect([attempts.length < 60, ownRequests.length < 60, pendingRequests.length < 4]).toEqual([
        true,
        true,
        true,
      ]);
    });
  });

  it('is pure: the same state and input give the same result, and the previous state is unchanged', () => {
    const life = new Life();
    stages.leading(life);
    const before = JSON.stringify(life.state, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const [once, twice] = [0, 1].map(() =>
      step(
        ledgerRules,
        life.state,
        { kind: 'resign', atLeastMs: 0 },
        { now: at(1700), wallMicros: 5 },
      ),
    );
    expect(once).toEqual(twice);
    expect(
      JSON.stringify(life.state, (_, value: unknown) =>
        typeof value === 'bigint' ? `${value}n` : value,
      ),
    ).toBe(before);
  });
});

describe('a released lease (L9)', () => {
  const standIn = (kind: string): Life => {
    const life = new Life({ deliverySpreadMs: 300 });
    life.step(0, { kind: 'pin', pin: 'agrees' });
    life.step(0, { kind: 'ranks', ranks: ['b', 'a', 'stranger-1'] });
    life.step(0, {
      kind: 'record',
      record: strangers(undefined, { kind, thresholdMs }),
      receivedAt: at(0),
    });
    life.step(0, { kind: 'end' });
    return life;
  };

  it('is left to the preferred member for as long as that member may take to read the release', () => {
    const life = standIn('release');
    expect(life.wakeAt).toBe(304);
    life.step(10, { kind: 'ranks', ranks: ['a', 'b'] });
    expect(kinds(life)).toContain('write hold');
  });

  it('is not left to it after a lapse, because the preferred member may be the one that died', () => {
    const life = standIn('hold');
    life.step(1212, { kind: 'wake' });
    expect(life.wakeAt).toBe(1216);
  });
});

describe('a token that leaves no room for a later one (T1)', () => {
  const wallMicros = 1_700_000_000_000_000;
  const last = 2n ** 63n - 1n;
  const hostile = { ...strangers(undefined, { token: last, thresholdMs }), height: 7 };
  const started = (change: Partial<MemberConfig> = {}) => {
    let state = newPartition(self(change), 0, at(0));
    const outputs: LedgerOutput[] = [];
    const take = (now: number, input: LedgerInput): void => {
      const made = step(ledgerRules, state, input, { now: at(now), wallMicros });
      ({ state } = made);
      outputs.push(...made.outputs);
    };
    take(0, { kind: 'pin', pin: 'agrees' });
    take(0, { kind: 'ranks', ranks: ['a', 'b'] });
    return { take, outputs };
  };
  const writtenBy = (outputs: readonly LedgerOutput[]) =>
    outputs.flatMap((output) => (output.kind === 'write' ? [output.record] : []));

  it('is counted and not adopted, and its record is replaced after its wait', () => {
    const { take, outputs } = started();
    take(10, { kind: 'record', record: hostile, receivedAt: at(10) });
    take(10, { kind: 'end' });
    expect(outputs).toContainEqual({ kind: 'ignored', what: 'token-without-room' });
    take(1000, { kind: 'wake' });
    expect(writtenBy(outputs)).toEqual([]);
    take(1300, { kind: 'wake' });
    expect(writtenBy(outputs)).toMatchObject([
      { kind: 'hold', after: hostile.id, height: 8, token: BigInt(wallMicros) },
    ]);
  });

  it('is not adopted from the floor either', () => {
    const { take, outputs } = started({ hasFloor: true });
    take(0, { kind: 'end' });
    take(1, { kind: 'floor', token: last, askedAt: at(0) });
    take(2500, { kind: 'wake' });
    expect(writtenBy(outputs)).toMatchObject([{ kind: 'hold', token: BigInt(wallMicros) }]);
  });

  it('is adopted up to thousands of years ahead, because clocks are wrong and tokens must grow', () => {
    const { take, outputs } = started();
    const ahead = BigInt(wallMicros) * 100n;
    take(10, { kind: 'record', record: { ...hostile, token: ahead }, receivedAt: at(10) });
    take(10, { kind: 'end' });
    take(1300, { kind: 'wake' });
    expect(writtenBy(outputs)).toMatchObject([{ kind: 'hold', token: ahead + 1n }]);
  });
});

describe('the first leader', () => {
  it('does not wait for a member that starts later, again and again, and is preferred (L9)', () => {
    const life = new Life();
    life.step(0, { kind: 'pin', pin: 'agrees' });
    life.step(0, { kind: 'ranks', ranks: ['a'] });
    life.step(0, { kind: 'end' });
    const waitMs = thresholdMs * 1.01 + thresholdMs / 4;
    for (let now = 100; now < waitMs; now += 100)
      life.step(now, { kind: 'ranks', ranks: [`b-${now}`, 'a'] });
    expect(life.sent).toEqual([]);
    // And the stagger of one rank.
    life.step(waitMs + 50, { kind: 'wake' });
    expect(life.last).toMatchObject({ kind: 'hold', incarnation: 'a' });
  });
});
