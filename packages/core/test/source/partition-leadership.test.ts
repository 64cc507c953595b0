import { describe, expect, it } from 'vitest';
import type { Leadership } from '../../src/contract/leadership.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

const reported = (source: LeadershipSource): string[] => {
  const states: string[] = [];
  const say = (leadership: Leadership): void => {
    states.push(
      'reason' in leadership ? `${leadership.state}: ${leadership.reason}` : leadership.state,
    );
  };
  source.role(0).leadership$.subscribe({ next: say, complete: () => states.push('complete') });
  return states;
};

describe('the leadership of a partition', () => {
  it('waits, leads with the first proof, and emits nothing at a renewal', async () => {
    const { source, grant, clock } = steeredSource();
    const states = reported(source);
    const role = source.role(0);
    expect([role.isLeading(), role.remainingMs(), role.term()]).toEqual([false, 0, undefined]);
    expect(grant(7n)).toBe('began');
    await clock.pass(300);
    expect(grant(7n)).toBe('prolonged');
    expect([role.isLeading(), role.remainingMs(), role.term()?.token]).toEqual([true, 1000, 7n]);
    expect(states).toEqual(['waiting', 'leading']);
    await source.close();
  });

  it('ignores an earlier deadline that arrives later (L3)', () => {
    const { source, grant } = steeredSource();
    grant(7n, 1000);
    expect(grant(7n, 500)).toBe('prolonged');
    expect(source.role(0).remainingMs()).toBe(1000);
  });

  it('reflects a deadline that passed in a blocked event loop in the very next call (H5)', () => {
    const { source, grant, clock } = steeredSource();
    const role = source.role(0);
    grant(7n);
    const term = role.term();
    clock.block(1000);
    expect([role.isLeading(), role.remainingMs(), role.term(), source.held().size]).toEqual([
      false,
      0,
      undefined,
      0,
    ]);
    expect([term?.isCurrent(), term?.remainingMs()]).toEqual([false, 0]);
    expect([role.leader(), source.roster().size]).toEqual([undefined, 0]);
    expect(term?.signal.aborted).toBe(true);
    expect(term?.fenced.reason).toMatchObject({
      code: 'fenced',
      message: 'term 7 of partition 0 is over (expired): another member may act now',
    });
  });

  it('replays the current state to a new subscriber, not the last emitted one (H5)', () => {
    const { source, grant, clock } = steeredSource();
    const early = reported(source);
    grant(7n);
    clock.block(1000);
    expect(reported(source)).toEqual(['fenced: expired']);
    expect(early).toEqual(['waiting', 'leading', 'fenced: expired']);
  });

  it('is fenced by the clock alone, at the deadline and not before (H4)', async () => {
    const { source, grant, clock } = steeredSource();
    const states = reported(source);
    grant(7n);
    await clock.pass(999);
    expect(states).toEqual(['waiting', 'leading']);
    await clock.pass(1);
    expect(states).toEqual(['waiting', 'leading', 'fenced: expired']);
  });

  it('is not restored by a late proof (T3, H4)', () => {
    const { source, grant, clock } = steeredSource();
    grant(7n);
    clock.block(1000);
    expect(grant(7n)).toBe('over');
    expect(source.role(0).isLeading()).toBe(false);
    expect(grant(6n)).toBe('over');
    expect(grant(8n)).toBe('began');
    expect(grant(7n)).toBe('over');
    expect(source.role(0).term()?.token).toBe(8n);
  });

  it('does not begin by a proof that has expired on arrival', () => {
    const { source, grant } = steeredSource();
    const states = reported(source);
    expect(grant(7n, 0)).toBe('over');
    expect(states).toEqual(['waiting']);
  });

  it('ends one term before the next begins (T3)', () => {
    const { source, grant } = steeredSource();
    const states = reported(source);
    grant(7n);
    const first = source.role(0).term();
    grant(8n);
    expect(states).toEqual(['waiting', 'leading', 'fenced: superseded', 'leading']);
    expect(first?.isCurrent()).toBe(false);
  });

  it('turns from fenced to waiting with the next reported leader', () => {
    const { source, grant, host } = steeredSource();
    const states = reported(source);
    grant(7n);
    host.lost(0, 'superseded');
    host.leads(0, { member: 'b', incarnation: 'b1', token: 8n, metadata: { url: 'http://b' } });
    expect(states).toEqual(['waiting', 'leading', 'fenced: superseded', 'waiting']);
    expect(source.role(0).leader()).toEqual({
      member: 'b',
      self: false,
      token: 8n,
      metadata: { url: 'http://b' },
    });
  });

  it('is observing without campaigning, and replays that to every subscriber', async () => {
    const { source } = steeredSource({ campaign: false });
    expect(reported(source)).toEqual(['observing']);
    await source.close();
    expect(reported(source)).toEqual(['observing', 'complete']);
  });

  it('ignores reports about partitions that do not exist', async () => {
    const { host } = steeredSource();
    expect(
      host.granted({ partition: 9, token: 1n, until: 9e9 as never, sentAt: 9e9 as never }),
    ).toBe('over');
    host.lost(9, 'expired');
    host.released(9);
    host.leads(9, undefined);
    expect(await host.drain(9)).toBe('fenced');
  });
});

describe('the orderly end of a term', () => {
  it('emits revoking first, with the term still current, then waiting', async () => {
    const { source, grant, revoke } = steeredSource();
    const states = reported(source);
    grant(7n);
    const term = source.role(0).term();
    const end = revoke();
    expect(states).toEqual(['waiting', 'leading', 'revoking']);
    expect([term?.isCurrent(), term?.signal.aborted, term?.fenced.aborted]).toEqual([
      true,
      true,
      false,
    ]);
    expect(term?.signal.reason).toMatchObject({
      code: 'revoked',
      message: 'term 7 of partition 0 is ending: the successor waits for this work',
    });
    expect(await end).toBe('drained');
    expect(states).toEqual(['waiting', 'leading', 'revoking', 'waiting']);
    expect([term?.isCurrent(), term?.fenced.aborted]).toEqual([false, true]);
  });

  it('waits for the whole barrier, including later and rejecting promises (H2)', async () => {
    const { source, grant, revoke, clock } = steeredSource();
    grant(7n);
    const term = source.role(0).term();
    let finish = (): void => undefined;
    let isOver = false;
    term?.waitUntil(Promise.reject(new Error('failed')));
    term?.waitUntil(
      new Promise<void>((resolve) => {
        finish = () => {
          term.waitUntil(clock.pass(0).then(() => clock.pass(10)));
          resolve();
        };
      }),
    );
    const end = revoke().then((how) => {
      isOver = true;
      return how;
    });
    await turn();
    expect(isOver).toBe(false);
    expect(source.role(0).isLeading()).toBe(true);
    finish();
    expect(await end).toBe('drained');
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('keeps renewing meanwhile, without emitting anything (H2)', async () => {
    const { source, grant, revoke, clock } = steeredSource();
    const states = reported(source);
    grant(7n);
    source
      .role(0)
      .term()
      ?.waitUntil(new Promise((resolve) => clock.wake(2500 as never, () => resolve(undefined))));
    const end = revoke();
    for (const _ of [1, 2, 3]) {
      await clock.pass(500);
      grant(7n);
    }
    expect(await end).toBe('drained');
    expect(states).toEqual(['waiting', 'leading', 'revoking', 'waiting']);
  });

  it('is fenced if work has not drained in time (H3)', async () => {
    const { source, grant, revoke, clock } = steeredSource({ drainTimeoutMs: 200 });
    const states = reported(source);
    grant(7n);
    const term = source.role(0).term();
    term?.waitUntil(new Promise(() => undefined));
    const end = revoke();
    await clock.pass(200);
    expect(await end).toBe('fenced');
    expect(states.at(-1)).toBe('fenced: drain-timed-out');
    expect(term?.fenced.reason).toMatchObject({ code: 'fenced' });
    await source.close();
    expect(clock.pending).toBe(0);
  });

  it('is fenced at once if the lease expires before the work has drained (H4)', async () => {
    const { source, grant, revoke, clock } = steeredSource();
    grant(7n);
    source
      .role(0)
      .term()
      ?.waitUntil(new Promise(() => undefined));
    const end = revoke();
    await clock.pass(1000);
    expect(await end).toBe('fenced');
    expect(clock.pending).toBe(0);
  });

  it('accepts no more work once the barrier has settled, and none after the term', async () => {
    const { source, grant, revoke, host } = steeredSource();
    grant(7n);
    const term = source.role(0).term();
    expect(await host.drain(0)).toBe('drained');
    expect(() => term?.waitUntil(Promise.resolve())).toThrow(
      expect.objectContaining({ code: 'revoked' }),
    );
    host.released(0);
    expect(() => term?.waitUntil(Promise.resolve())).toThrow(
      expect.objectContaining({ code: 'fenced' }),
    );
    expect(await revoke()).toBe('fenced');
  });

  it('survives an abort listener that ends the term at once', async () => {
    const { source, grant, revoke } = steeredSource({}, { close: () => Promise.resolve() });
    const states = reported(source);
    grant(7n);
    source
      .role(0)
      .term()
      ?.waitUntil(new Promise<never>(() => undefined));
    source
      .role(0)
      .term()
      ?.signal.addEventListener('abort', () => void source.close({ signal: AbortSignal.abort() }));
    expect(await revoke()).toBe('fenced');
    await source.close();
    expect(states).toEqual(['waiting', 'leading', 'fenced: closed', 'complete']);
  });
});

describe('a term', () => {
  it('creates its signals on first use, in their current state', async () => {
    const { source, grant, revoke } = steeredSource();
    grant(7n);
    const [term, late] = [source.role(0).term(), source.role(0).term()];
    expect([term?.signal.aborted, term?.fenced.aborted]).toEqual([false, false]);
    expect(term?.signal).toBe(late?.signal);
    await revoke();
    grant(8n);
    const second = source.role(0).term();
    await revoke();
    expect([second?.signal.reason, second?.fenced.reason]).toMatchObject([
      { code: 'fenced' },
      { code: 'fenced' },
    ]);
  });

  it('is plain data as JSON, with its token as a decimal string (T1)', () => {
    const { source, grant } = steeredSource();
    grant(2n ** 60n);
    const term = source.role(0).term();
    expect(JSON.parse(JSON.stringify(term))).toEqual({
      partition: 0,
      token: '1152921504606846976',
      since: term?.since.toISOString(),
    });
  });
});
