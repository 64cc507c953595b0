import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { anyOf } from '../../src/combine/combine.ts';
import { combinedBy, other, standingOf } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('anyOf', () => {
  it('leads while either source does: a term continues if one source takes over from the other (I7)', () => {
    const { source, a, b, reported } = combinedBy(anyOf);
    const role = source.role(0);
    a.grant(7n, 1000);
    const term = role.term();
    expect([role.isLeading(), role.remainingMs(), term?.token]).toEqual([true, 1000, 7n]);
    b.grant(3n, 1500);
    expect([role.remainingMs(), role.term()]).toEqual([1500, term]);
    a.host.lost(0, 'superseded');
    expect([role.isLeading(), role.term(), term?.fenced.aborted]).toEqual([true, term, false]);
    b.host.lost(0, 'suspended');
    expect([role.isLeading(), role.remainingMs(), term?.fenced.aborted, role.term()]).toEqual([
      false,
      0,
      true,
      undefined,
    ]);
    expect(reported).toEqual(['waiting', 'leading', 'fenced']);
    expect(standingOf(source)).toBe('fenced: superseded');
  });

  it('reads the sources in the call: an expiry needs no notification (H5)', () => {
    const { source, a, b } = combinedBy(anyOf);
    a.grant(7n, 1000);
    b.grant(8n, 1500);
    a.clock.block(2000);
    expect(source.role(0).isLeading()).toBe(true);
    b.clock.block(2000);
    expect(source.role(0).isLeading()).toBe(false);
    expect(source.held().size).toBe(0);
    expect(source.role(0).leader()).toBeUndefined();
    expect(standingOf(source)).toBe('fenced: expired');
  });

  it('lets a source end its term at once while the other leads, and lets work delay the last one (H2)', async () => {
    const { source, a, b, reported } = combinedBy(anyOf);
    const work = deferred<void>();
    a.grant(7n);
    b.grant(8n);
    void source.role(0).ifLeading(() => work.promise);
    expect(await a.revoke()).toBe('drained');
    expect(source.role(0).isLeading()).toBe(true);
    let isOver = false;
    const revoked = b.revoke().finally(() => {
      isOver = true;
    });
    await turn();
    expect([isOver, source.role(0).isLeading(), reported.at(-1)]).toEqual([
      false,
      true,
      'revoking',
    ]);
    work.resolve();
    expect(await revoked).toBe('drained');
    expect([source.role(0).isLeading(), reported]).toEqual([
      false,
      ['waiting', 'leading', 'revoking', 'waiting'],
    ]);
  });

  it('lets a source end its term once the work is over, although another is slow to end: its broker may be away (H2)', async () => {
    const { source, a, b } = combinedBy(anyOf);
    const work = deferred<void>();
    a.grant(7n);
    b.grant(8n);
    void source.role(0).ifLeading(() => work.promise);
    // Its drain is over, and the release does not come through.
    expect(await a.host.drain(0)).toBe('drained');
    const over: string[] = [];
    void b.revoke().then((end) => over.push(end));
    await turn();
    expect(over).toEqual([]);
    work.resolve();
    await turn();
    expect([over, standingOf(a.source), standingOf(b.source)]).toEqual([
      ['drained'],
      'revoking',
      'waiting',
    ]);
  });

  it('begins another term after the drain of one, if a source leads by then', async () => {
    const { source, a, b, reported } = combinedBy(anyOf);
    const work = deferred<void>();
    a.grant(7n);
    void source.role(0).ifLeading(() => work.promise);
    const revoked = a.revoke();
    b.grant(2n);
    expect(await revoked).toBe('drained');
    expect(reported.at(-1)).toBe('revoking');
    work.resolve();
    await turn();
    expect(reported).toEqual(['waiting', 'leading', 'revoking', 'waiting', 'leading']);
    // Tokens are not ordered here, but they distinguish terms.
    expect(source.role(0).term()?.token).toBe(8n);
  });

  it('fences work that does not end, even if another source could continue the term meanwhile (H3)', async () => {
    const { source, a, b, reported } = combinedBy(anyOf, { drainTimeoutMs: 100 });
    a.grant(7n, 5000);
    const term = source.role(0).term();
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    void a.revoke();
    b.grant(2n, 5000);
    await a.clock.pass(50);
    expect([term?.signal.aborted, term?.fenced.aborted]).toEqual([true, false]);
    await a.clock.pass(100);
    expect(term?.fenced.aborted).toBe(true);
    expect(reported).toEqual(['waiting', 'leading', 'revoking', 'fenced', 'leading']);
  });

  it('waits for work for the shortest drain timeout of its sources, whichever leads (H3)', async () => {
    const a = steeredSource({ group: 'ga', drainTimeoutMs: 100 });
    const b = steeredSource({ group: 'gb', drainTimeoutMs: 1000 });
    const source = anyOf(a.source, b.source);
    b.grant(7n, 5000);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    void b.revoke();
    await Promise.all([a.clock.pass(99), b.clock.pass(99)]);
    expect(standingOf(source)).toBe('revoking');
    await Promise.all([a.clock.pass(1), b.clock.pass(1)]);
    expect(standingOf(source)).toBe('fenced: drain-timed-out');
  });

  it('reports the leader: itself first, then any known one', () => {
    const { source, a, b } = combinedBy(anyOf);
    const names: (string | undefined)[] = [];
    source
      .role(0)
      .leader$.subscribe((leader) => names.push(leader && `${leader.member} ${leader.token}`));
    b.host.leads(0, other);
    a.grant(7n);
    b.host.leads(0, { ...other, token: 51n });
    expect(source.roster().get(0)).toMatchObject({ self: true, token: 7n });
    a.host.lost(0, 'superseded');
    expect(names).toEqual([undefined, 'x 50', 'a 7', undefined, 'x 51']);
  });

  it('keeps only weak guarantees: no exclusion, no order of tokens, the shorter fail-over', () => {
    expect(combinedBy(anyOf).source.guarantees).toEqual({
      exclusive: false,
      tokens: 'none',
      handover: 'overlapping',
      assumes: ['drift'],
      overlapMsMax: 'unbounded',
      failoverMsMax: 1000,
    });
  });

  it('is ready as soon as one source is, and never if none can be', async () => {
    const one = combinedBy(anyOf);
    one.a.host.refused('unauthorized', 'no');
    one.b.host.ready();
    await one.source.ready();
    const none = combinedBy(anyOf);
    none.b.host.refused('partitions-differ', 'not so');
    none.a.host.refused('unauthorized', 'no');
    await expect(none.source.ready()).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(
      combinedBy(anyOf).source.ready({ signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
  });

  it('continues without a closed source, and ends with the last', async () => {
    const { source, a, b } = combinedBy(anyOf);
    a.grant(7n);
    b.grant(8n);
    await a.source.close();
    expect([source.role(0).isLeading(), standingOf(source)]).toEqual([true, 'leading']);
    const over = source.role(0).lead(() => undefined);
    await b.source.close();
    await over;
    expect(b.asked).toContain('close');
  });

  it('leads where it campaigns while it observes another group: the groups of one role stay disjoint', () => {
    const a = steeredSource({ group: 'ga' });
    const b = steeredSource({ group: 'gb', campaign: false });
    const source = anyOf(a.source, b.source);
    expect(standingOf(source)).toBe('waiting');
    b.host.leads(0, other);
    expect(source.role(0).leader()).toMatchObject({ member: 'x', self: false });
    a.grant(7n);
    expect(source.role(0).isLeading()).toBe(true);
  });
});
