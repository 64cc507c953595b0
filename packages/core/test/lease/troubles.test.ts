// A trouble lasts as long as its cause.
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/async/sleep.ts';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { manualClock } from '../support/manual-clock.ts';
import { rowsMember, thresholdMs } from '../support/rows-member.ts';

const never = (): Promise<never> => new Promise(() => undefined);

describe('the trouble of a store that does not answer', () => {
  it('lasts all the time', async () => {
    const { source, rows, clock } = rowsMember(new MemoryStore(), { log: false });
    await clock.pass(10);
    rows.exchange = never;
    await clock.pass(thresholdMs);
    for (let round = 0; round < 40; round += 1) {
      await clock.pass(thresholdMs / 4);
      expect(source.health().troubles.map(({ code }) => code)).toContain('unreachable');
    }
    await source.close({ signal: AbortSignal.abort() });
  });

  it('is reported once, however often requests fail', async () => {
    const { source, rows, clock } = rowsMember(new MemoryStore(), { log: false });
    const raised: unknown[] = [];
    source.events$.subscribe(({ kind, code }) => kind === 'trouble' && raised.push(code));
    await clock.pass(10);
    rows.exchange = never;
    await clock.pass(3 * thresholdMs);
    expect(raised).toEqual(['unreachable']);
    await source.close({ signal: AbortSignal.abort() });
  });

  it('ends with the next answer, though another member leads by then', async () => {
    const store = new MemoryStore();
    const { source, rows, clock } = rowsMember(store, { log: false });
    await clock.pass(10);
    const { exchange } = rows;
    rows.exchange = never;
    const other = rowsMember(store, { member: 'b', log: false }, undefined, clock);
    await clock.pass(3 * thresholdMs);
    expect(other.source.role(0).isLeading()).toBe(true);
    expect(source.health().ok).toBe(false);
    rows.exchange = exchange;
    await clock.pass(thresholdMs);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await other.source.close({ signal: AbortSignal.abort() });
    await source.close({ signal: AbortSignal.abort() });
  });
});

describe('the trouble of a store that refuses changes, and answers readings', () => {
  const refusal = (): Error => new LeadershipError('unauthorized', 'the user may only read');

  it.each(['leader', 'candidate'])(
    'lasts all the time at a %s, and ends with the cause',
    async (who) => {
      const store = new MemoryStore();
      const clock = manualClock();
      const first = rowsMember(store, { log: false }, undefined, clock);
      await clock.pass(10);
      const second = rowsMember(store, { member: 'b', log: false }, undefined, clock);
      await clock.pass(10);
      const [refused, other] = who === 'leader' ? [first, second] : [second, first];
      const { exchange } = refused.rows;
      const raised: unknown[] = [];
      refused.source.events$.subscribe(({ kind }) => kind === 'trouble' && raised.push(kind));
      refused.rows.exchange = (request, signal) =>
        request.changes.length > 0 ? Promise.reject(refusal()) : exchange(request, signal);
      await clock.pass(thresholdMs);
      for (let round = 0; round < 40; round += 1) {
        await clock.pass(thresholdMs / 8);
        expect(refused.source.health().troubles.map(({ code }) => code)).toContain('unauthorized');
      }
      expect(other.source.role(0).isLeading()).toBe(true);
      refused.rows.exchange = exchange;
      await clock.pass(2 * thresholdMs);
      expect(refused.source.health()).toMatchObject({ ok: true, troubles: [] });
      for (const { source } of [first, second]) await source.close({ signal: AbortSignal.abort() });
    },
  );

  it('ends though this member has nothing to change any more', async () => {
    const { source, membership, rows, clock } = rowsMember(new MemoryStore(), { log: false });
    await clock.pass(10);
    const { exchange } = rows;
    rows.exchange = (request, signal) =>
      request.changes.length > 0 ? Promise.reject(refusal()) : exchange(request, signal);
    await clock.pass(thresholdMs);
    expect(source.health().ok).toBe(false);
    membership.campaign(false);
    await clock.pass(2 * thresholdMs);
    expect(source.health().troubles.map(({ code }) => code)).not.toContain('unauthorized');
    await source.close({ signal: AbortSignal.abort() });
  });
});

// A member releases as many partitions at a time as one exchange takes changes.
it('no release counts as refused while it waits for room in an exchange', async () => {
  const slowMs = thresholdMs / 8;
  const clock = manualClock();
  const { source, rows } = rowsMember(
    new MemoryStore(),
    { partitions: 20, log: false },
    (slow) => Object.assign(slow, { traits: { changesMax: 2 } }),
    clock,
  );
  const complaints: unknown[] = [];
  source.events$.subscribe(({ kind, message }) => kind === 'trouble' && complaints.push(message));
  await clock.pass(thresholdMs);
  expect(source.held().size).toBe(20);
  const exchange = rows.exchange.bind(rows);
  rows.exchange = async (request, signal) => {
    const answer = await exchange(request, signal);
    await sleep(clock, slowMs, signal);
    return answer;
  };
  let isClosed = false;
  void source.close().then(() => {
    isClosed = true;
  });
  await clock.pass(3 * thresholdMs);
  expect(complaints).toEqual([]);
  expect(isClosed).toBe(true);
});
