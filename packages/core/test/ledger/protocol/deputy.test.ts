import { describe, expect, it } from 'vitest';
import { ledgerRules } from '../../../src/ledger/protocol/rules.ts';
import type {
  LedgerInput,
  MemberConfig,
  PartitionState,
} from '../../../src/ledger/protocol/state.ts';
import { newPartition, step } from '../../../src/ledger/protocol/step.ts';
import type { LedgerRecord } from '../../../src/ledger/record.ts';
import type { Instant } from '../../../src/time/instant.ts';

const thresholdMs = 1000;
const at = (ms: number): Instant => ms as Instant;

const self = (shape: MemberConfig['shape']): MemberConfig => ({
  group: 'g',
  member: 'guard',
  incarnation: 'guard',
  partitions: 1,
  thresholdMs,
  thresholdMsMax: thresholdMs,
  driftRate: 0,
  shape,
  hasLeaseRequests: true,
  jitter: 0,
});

const held: LedgerRecord = {
  group: 'g',
  partition: 0,
  id: 'a/1',
  after: null,
  height: 0,
  member: 'a',
  incarnation: 'a',
  kind: 'hold',
  token: 7n,
  thresholdMs: 3000,
};

/** An observer that has read `record` at 0 ms. */
class Observer {
  state: PartitionState;
  readonly sent: LedgerRecord[] = [];
  wakeAt: Instant = at(0);

  constructor(record: LedgerRecord, shape: MemberConfig['shape'] = 'register') {
    this.state = newPartition(self(shape), 0, at(0));
    this.step(0, { kind: 'campaign', on: false });
    this.step(0, { kind: 'record', record, receivedAt: at(0) });
    this.step(0, { kind: 'end' });
  }

  step(now: number, input: LedgerInput): this {
    const made = step(ledgerRules, this.state, input, { now: at(now), wallMicros: 0 });
    this.state = made.state;
    this.wakeAt = made.wakeAt;
    for (const output of made.outputs) if (output.kind === 'write') this.sent.push(output.record);
    return this;
  }

  died(now: number, incarnation = 'a'): this {
    return this.step(now, { kind: 'died', incarnation });
  }
}

describe('the deputy', () => {
  it('releases over the record of the dead, with its token and its T (L16)', () => {
    const { sent } = new Observer(held).died(3000);
    expect(sent).toHaveLength(1);
    const change = { kind: 'release', token: 7n, thresholdMs: 3000, after: 'a/1', height: 1 };
    expect(sent[0]).toMatchObject({ ...change, incarnation: 'guard' });
    expect(sent[0]).not.toHaveProperty('to');
  });

  it('releases nothing after a term that was younger than T (L13)', () => {
    const observer = new Observer(held).died(2999);
    observer.step(3500, { kind: 'wake' });
    expect(observer.sent).toEqual([]);
  });

  it('counts the age of the term, not of the holder (L13)', () => {
    const observer = new Observer(held);
    const again = { ...held, id: 'a/2', after: 'a/1', height: 1, token: 8n };
    observer.step(2500, { kind: 'record', record: again, receivedAt: at(2500) }).died(4000);
    expect(observer.sent).toEqual([]);
  });

  it.each([
    ['another incarnation of the same member', { ...held, incarnation: 'a2' }],
    ['a living delegate of the dead', release({ incarnation: 'b', requestId: 'w', member: 'b' })],
    ['a kind of record that it does not know (L1)', { ...held, kind: 'future' }],
    ['a release that names no holder', release(undefined)],
  ])('releases nothing of %s (L13)', (_what, record) => {
    expect(new Observer(record).died(9000).sent).toEqual([]);
  });

  it('releases what was delegated to the dead (L13)', () => {
    const delegated = release({ incarnation: 'd', requestId: 'w', member: 'd' });
    expect(new Observer(delegated).died(9000, 'd').sent).toHaveLength(1);
  });

  it('repeats over a later record of the dead, and never over that of another (L16)', () => {
    const observer = new Observer(held).died(3000);
    const refused = observer.sent[0] ?? held;
    observer.step(3001, { kind: 'written', record: refused, outcome: 'refused' });
    const renewed = { ...held, id: 'a/2', after: 'a/1', height: 1 };
    observer.step(3002, { kind: 'record', record: renewed, receivedAt: at(3002) });
    expect(observer.sent.map(({ after }) => after)).toEqual(['a/1', 'a/2']);
    const taken = { ...held, id: 'b/1', after: 'a/2', height: 2, member: 'b', incarnation: 'b' };
    observer.step(3003, { kind: 'record', record: taken, receivedAt: at(3003) });
    observer.step(9000, { kind: 'wake' });
    expect(observer.sent).toHaveLength(2);
  });

  it('repeats a release whose outcome is unknown (L4)', () => {
    const observer = new Observer(held).died(3000);
    const record = observer.sent[0] ?? held;
    observer.step(3010, { kind: 'written', record, outcome: 'unknown' });
    observer.step(observer.wakeAt, { kind: 'wake' });
    expect(observer.sent.map(({ after }) => after)).toEqual(['a/1', 'a/1']);
    expect(new Set(observer.sent.map(({ id }) => id)).size).toBe(2);
  });

  it('waits until a log can be trusted (L11)', () => {
    const observer = new Observer(held, 'log');
    observer.step(3000, { kind: 'restarted' });
    observer.step(3000, { kind: 'record', record: held, receivedAt: at(3000) });
    observer.step(3000, { kind: 'end' }).died(3001);
    expect(observer.sent).toEqual([]);
    observer.step(4000, { kind: 'wake' });
    expect(observer.sent).toHaveLength(1);
  });
});

function release(to: LedgerRecord['to']): LedgerRecord {
  return { ...held, kind: 'release', ...(to && { to }) };
}

describe('a release for a dead holder whose token leaves no room (T1, L16)', () => {
  it('does not raise the floor of the group to that token', () => {
    const observer = { ...self('register'), hasFloor: true };
    const record = { ...held, token: 2n ** 63n - 1n, thresholdMs };
    const moment = (now: number) => ({ now: at(now), wallMicros: 0 });
    let state = newPartition(observer, 0, at(0));
    const inputs: readonly (readonly [number, LedgerInput])[] = [
      [0, { kind: 'campaign', on: false }],
      [0, { kind: 'record', record, receivedAt: at(0) }],
      [0, { kind: 'end' }],
      [2 * thresholdMs, { kind: 'died', incarnation: 'a' }],
    ];
    const outputs = inputs.flatMap(([now, input]) => {
      const made = step(ledgerRules, state, input, moment(now));
      state = made.state;
      return made.outputs;
    });
    const writes = outputs.filter(({ kind }) => kind === 'write');
    expect(writes).toMatchObject([{ kind: 'write', record: { kind: 'release' } }]);
    expect(writes[0]).not.toHaveProperty('raisesFloor');
  });
});
