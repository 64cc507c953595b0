// One test for each mutant that no other test detected. The title names the mutation.
import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../../src/ledger/ledger.ts';
import { ledgerRules } from '../../../src/ledger/protocol/rules.ts';
import type {
  LedgerInput,
  MemberConfig,
  PartitionState,
} from '../../../src/ledger/protocol/state.ts';
import { newPartition, step } from '../../../src/ledger/protocol/step.ts';
import type { LedgerRecord } from '../../../src/ledger/record.ts';
import type { Instant } from '../../../src/time/instant.ts';
import { strangers } from '../../support/steered-ledger.ts';

const thresholdMs = 1200;
const at = (ms: number): Instant => ms as Instant;

interface Life {
  readonly state: PartitionState;
  readonly wakeAt: number;
  readonly last: LedgerRecord;
  /** Applies an input. Returns the kinds of its outputs. */
  feed(now: number, input: LedgerInput): readonly string[];
  read(now: number, record: LedgerRecord): readonly string[];
}

function lifeOf(change: Partial<MemberConfig> = {}): Life {
  const own = {
    group: 'g',
    member: 'a',
    incarnation: 'a',
    partitions: 1,
    thresholdMs,
    thresholdMsMax: thresholdMs,
  };
  const self: MemberConfig = {
    ...own,
    driftRate: 0.01,
    shape: 'register',
    hasLeaseRequests: true,
    jitter: 0,
    ...change,
  };
  let state = newPartition(self, 0, at(0));
  let wakeAt = 0;
  const sent: LedgerRecord[] = [];
  const feed = (now: number, input: LedgerInput): readonly string[] => {
    const made = step(ledgerRules, state, input, { now: at(now), wallMicros: 0 });
    ({ state, wakeAt } = made);
    for (const output of made.outputs) if (output.kind === 'write') sent.push(output.record);
    return made.outputs.map((output) =>
      output.kind === 'write' ? `write ${output.record.kind}` : output.kind,
    );
  };
  return {
    get state() {
      return state;
    },
    get wakeAt() {
      return wakeAt;
    },
    get last() {
      const last = sent.at(-1);
      if (last === undefined) throw new Error('nothing was sent');
      return last;
    },
    feed,
    read: (now, record) => feed(now, { kind: 'record', record, receivedAt: at(now) }),
  };
}

/** Returns a member that has read an empty register and claimed it. */
function claimant(change: Partial<MemberConfig> = {}): Life {
  const life = lifeOf(change);
  life.feed(0, { kind: 'pin', pin: 'agrees' });
  life.feed(0, { kind: 'ranks', ranks: ['a', 'b'] });
  life.feed(0, { kind: 'end' });
  const claimAt = life.wakeAt;
  expect(life.feed(claimAt, { kind: 'wake' })).toEqual(['write hold']);
  return life;
}

describe('the tests detect an engine that', () => {
  it.each(['register', 'log'] as const)(
    'forgets that history is missing after the next record of a %s (L11)',
    (shape) => {
      const life = lifeOf({ shape });
      const first = strangers(undefined, { thresholdMs });
      const release = strangers(first, { kind: 'release', thresholdMs });
      life.feed(0, { kind: 'pin', pin: 'agrees' });
      life.feed(0, { kind: 'ranks', ranks: ['a', 'b'] });
      life.read(0, first);
      life.feed(0, { kind: 'end' });
      life.feed(5000, { kind: 'restarted' });
      life.read(5000, first);
      life.feed(5000, { kind: 'end' });
      // The lease is free, but a leader by a record of the missing history may lead for one more
      // cap.
      expect(life.read(5100, release)).not.toContain('write hold');
      expect(life.wakeAt).toBeGreaterThanOrEqual(5000 + thresholdMs);
      expect(life.feed(6212, { kind: 'wake' })).toContain('write hold');
    },
  );

  it('accepts an answer from before a restart as a proof (L11)', () => {
    const life = claimant();
    life.feed(1213, { kind: 'written', record: life.last, outcome: 'in-effect' });
    expect(life.feed(1612, { kind: 'wake' })).toEqual(['write hold']);
    life.feed(1620, { kind: 'restarted' });
    expect(life.feed(1625, { kind: 'written', record: life.last, outcome: 'in-effect' })).toEqual(
      [],
    );
    expect(life.state.fold.kind).toBe('reading');
    expect(life.state.leaseState).toMatchObject({ kind: 'leading', until: 1212 + 1188 });
  });

  it('remembers an attempt from before a restart (L11)', () => {
    const life = claimant();
    const claim = life.last;
    life.feed(1213, { kind: 'restarted' });
    life.read(1214, claim);
    expect(life.feed(1215, { kind: 'end' })).not.toContain('granted');
    expect(life.state.leaseState.kind).toBe('follower');
  });

  it.each(['unknown', 'differs'] as const)(
    'starts a term although the pin is now %s (R3)',
    (pin) => {
      const life = claimant();
      life.feed(1213, { kind: 'pin', pin });
      expect(
        life.feed(1214, { kind: 'written', record: life.last, outcome: 'in-effect' }),
      ).not.toContain('granted');
      expect(life.state.leaseState.kind).toBe('follower');
    },
  );

  it('hands over to a member whose T exceeds the group’s cap (L7, R3)', () => {
    const life = claimant();
    life.feed(1213, { kind: 'written', record: life.last, outcome: 'in-effect' });
    const request: LeaseRequest = {
      partition: 0,
      id: 'w',
      incarnation: 'b',
      member: 'b',
      thresholdMs: thresholdMs + 1,
    };
    life.feed(1214, { kind: 'requested', request, receivedAt: at(1214) });
    expect(life.state.pendingRequests).toEqual([]);
    life.feed(1215, {
      kind: 'requested',
      request: { ...request, thresholdMs },
      receivedAt: at(1215),
    });
    expect(life.state.pendingRequests).toHaveLength(1);
  });

  it('releases a lease that it no longer wants, after a restart (L11)', () => {
    const life = claimant();
    const claim = life.last;
    life.feed(1213, { kind: 'campaign', on: false });
    life.feed(1213, { kind: 'restarted' });
    life.read(1214, claim);
    // Its record is current here. In the missing history another member may lead, and a release
    // would end the wait for that member.
    expect(life.feed(1215, { kind: 'end' })).not.toContain('write release');
    for (let now = 1300; now < 1214 + thresholdMs; now += 50)
      expect(life.feed(now, { kind: 'wake' })).not.toContain('write release');
  });

  it.each([
    ['its renewal is confirmed', true, 1300],
    ['its renewal is confirmed before it has read again', false, 1613],
  ])('forgets, once %s, that history went missing (L11)', (_, reads, readAt) => {
    const life = claimant();
    const claim = life.last;
    life.feed(1213, { kind: 'written', record: claim, outcome: 'in-effect' });
    life.feed(1300, { kind: 'restarted' });
    if (reads) life.read(1300, claim);
    if (reads) life.feed(1300, { kind: 'end' });
    expect(life.feed(1612, { kind: 'wake' })).toEqual(['write hold']);
    life.feed(1613, { kind: 'written', record: life.last, outcome: 'in-effect' });
    life.feed(1700, { kind: 'fenced', lapse: false });
    // What it holds it could claim at once, if nobody else may lead by what is missing.
    const trustedAt = readAt + 1.01 * thresholdMs;
    for (let now = 1750; now < trustedAt; now += 50)
      expect(life.feed(now, { kind: 'wake' })).toEqual([]);
    expect(life.feed(trustedAt, { kind: 'wake' })).toContain('write hold');
  });

  it('claims over its own release while a leader by a lost claim may lead (L11)', () => {
    const life = claimant();
    life.feed(1213, { kind: 'written', record: life.last, outcome: 'in-effect' });
    life.feed(1300, { kind: 'restarted' });
    life.feed(1350, { kind: 'resign', atLeastMs: 0 });
    expect(life.feed(1400, { kind: 'drained' })).toEqual(['released', 'write release']);
    // The release took effect at 1420, and another member's claim at 1500. Then the store lost both.
    life.feed(1600, { kind: 'written', record: life.last, outcome: 'unknown' });
    expect(life.feed(1800, { kind: 'wake' })).toEqual(['write release']);
    life.feed(1810, { kind: 'written', record: life.last, outcome: 'in-effect' });
    life.feed(1820, { kind: 'campaign', on: true });
    const otherLeadsUntil = 1500 + 0.99 * thresholdMs;
    for (let now = 1820; now < otherLeadsUntil; now += 10)
      expect(life.feed(now, { kind: 'wake' })).toEqual([]);
    expect(life.feed(1810 + 1.01 * thresholdMs, { kind: 'wake' })).toContain('write hold');
  });

  it('waits for the T of the record alone where history went missing, and not for the cap of the group (L11)', () => {
    const life = lifeOf({ thresholdMsMax: 3000 });
    const first = strangers(undefined, { thresholdMs });
    life.feed(0, { kind: 'pin', pin: 'agrees' });
    life.feed(0, { kind: 'ranks', ranks: ['a', 'b'] });
    life.read(0, first);
    life.feed(0, { kind: 'end' });
    life.feed(1000, { kind: 'restarted' });
    life.read(1000, first);
    life.feed(1000, { kind: 'end' });
    life.read(1100, strangers(first, { thresholdMs: 500 }));
    for (let now = 1100; now < 4030; now += 50)
      expect(life.feed(now, { kind: 'wake' })).not.toContain('write hold');
    expect(life.feed(4030, { kind: 'wake' })).toContain('write hold');
  });

  it('waits for its own T, and not for that of the record in effect (L5)', () => {
    const life = lifeOf({ thresholdMsMax: 3000 });
    life.feed(0, { kind: 'pin', pin: 'agrees' });
    life.feed(0, { kind: 'ranks', ranks: ['a', 'b'] });
    life.read(0, strangers(undefined, { thresholdMs: 3000 }));
    life.feed(0, { kind: 'end' });
    for (let now = 0; now < 3030; now += 30)
      expect(life.feed(now, { kind: 'wake' })).not.toContain('write hold');
    expect(life.feed(3030, { kind: 'wake' })).toContain('write hold');
  });

  it('remembers what it had sent when the log proved its fold wrong (L12)', () => {
    const life = claimant({ shape: 'log' });
    const claim = life.last;
    const ahead = strangers(undefined, { height: 5, after: 'unknown', thresholdMs });
    expect(life.read(1213, ahead)).toEqual(['broken', 'reread']);
    life.read(1214, claim);
    expect(life.feed(1215, { kind: 'end' })).not.toContain('granted');
  });

  it('begins a term by a proof whose time is over when it is seen (L3)', () => {
    const [early, late] = [claimant(), claimant()];
    const answer = (life: Life): LedgerInput => ({
      kind: 'written',
      record: life.last,
      outcome: 'in-effect',
    });
    const until = early.state.writeAt - thresholdMs / 3 + 0.99 * thresholdMs;
    expect(early.feed(until - 1, answer(early))).toContain('granted');
    expect(late.feed(until, answer(late))).not.toContain('granted');
  });

  it('prolongs its term by a record of its own that has another token (T3)', () => {
    const life = claimant();
    const claim = life.last;
    life.feed(1213, { kind: 'written', record: claim, outcome: 'in-effect' });
    const other = {
      ...claim,
      id: 'a/a/0.0',
      after: claim.id,
      height: claim.height + 1,
      token: claim.token + 1n,
    };
    expect(life.read(1300, other)).toContain('lost');
    expect(life.state.leaseState.kind).toBe('follower');
  });

  it.each<[string, LedgerInput]>([
    ['it does not campaign', { kind: 'campaign', on: false }],
    ['it does not know the pin', { kind: 'pin', pin: 'unknown' }],
  ])('asks for a lease that it would not take, as %s (L7)', (_, input) => {
    const life = lifeOf();
    life.feed(0, { kind: 'pin', pin: 'agrees' });
    life.feed(0, { kind: 'ranks', ranks: ['a', 'b'] });
    life.read(0, strangers(undefined, { thresholdMs }));
    expect(life.feed(0, { kind: 'end' })).toContain('request-lease');
    expect(life.feed(thresholdMs / 4, { kind: 'wake' })).toContain('request-lease');
    expect(life.feed(thresholdMs / 2, input)).not.toContain('request-lease');
    expect(life.feed((3 / 4) * thresholdMs, { kind: 'wake' })).not.toContain('request-lease');
  });
});
