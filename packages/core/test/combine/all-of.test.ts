import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { allOf } from '../../src/combine/combine.ts';
import { type Combined, combinedBy, other, standingOf } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

let opened: Combined[] = [];

function both(options = {}): Combined {
  const combined = combinedBy(allOf, options);
  opened.push(combined);
  return combined;
}

afterEach(async () => {
  await Promise.all(
    opened.map(({ source }) =>
      source.close({ signal: AbortSignal.abort() }).catch(() => undefined),
    ),
  );
  opened = [];
});

/** Returns the calls to a source about partition 0 since the last time. */
function askedOf({ asked }: { readonly asked: string[] }): string[] {
  return asked.splice(0).filter((words) => words.split(' ')[1] === '0');
}

describe('allOf', () => {
  it('leads only while all sources do, until the earliest deadline (I7)', () => {
    const { source, a, b, reported } = both();
    const role = source.role(0);
    a.grant(7n, 1000);
    expect([role.isLeading(), role.remainingMs(), role.term()]).toEqual([false, 0, undefined]);
    b.grant(9n, 1500);
    expect([role.isLeading(), role.remainingMs(), role.term()?.token]).toEqual([true, 1000, 7n]);
    a.grant(7n, 2000);
    expect(role.remainingMs()).toBe(1500);
    const { fenced } = role.term() ?? {};
    b.host.lost(0, 'suspended');
    expect([role.isLeading(), fenced?.aborted, standingOf(source)]).toEqual([
      false,
      true,
      'fenced: suspended',
    ]);
    expect(reported).toEqual(['waiting', 'leading', 'fenced']);
  });

  it('reads every source in the call (H5)', () => {
    const { source, a, b } = both();
    a.grant(7n, 1000);
    b.grant(9n, 1500);
    const term = source.role(0).term();
    a.clock.block(1000);
    expect([source.role(0).isLeading(), term?.isCurrent(), term?.remainingMs()]).toEqual([
      false,
      false,
      0,
    ]);
    expect(source.role(0).ifLeading(() => 1)).toBeUndefined();
    expect(standingOf(source)).toBe('fenced: expired');
  });

  it('campaigns in later sources only while it leads in all earlier ones, with tokens above the first one’s', () => {
    const { a, b } = both();
    expect(askedOf(b)).toEqual(['stand 0 no']);
    a.grant(7n);
    expect(askedOf(b)).toEqual(['stand 0 above 7']);
    a.grant(7n, 2000);
    expect(askedOf(b)).toEqual([]);
    a.host.lost(0, 'superseded');
    a.grant(8n);
    expect(askedOf(b)).toEqual(['stand 0 no', 'stand 0 above 8']);
    expect(askedOf(a)).toEqual([]);
  });

  it('campaigns in a third source only once it leads in the second', () => {
    const [a, b, c] = [1, 2, 3].map((number) => steeredSource({ group: `g${number}` }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('there are three');
    const source = allOf(a.source, b.source, c.source);
    a.grant(7n);
    expect([askedOf(b).at(-1), askedOf(c).at(-1)]).toEqual(['stand 0 above 7', 'stand 0 no']);
    b.grant(9n);
    expect(askedOf(c)).toEqual(['stand 0 above 7']);
    c.grant(8n);
    expect(source.role(0).isLeading()).toBe(true);
  });

  it('ends in order when one source does: all wait until the work has drained, then end one after the other (H2)', async () => {
    const { source, a, b, reported } = both();
    const work = deferred<void>();
    a.grant(7n);
    b.grant(9n);
    void source.role(0).ifLeading(() => work.promise);
    askedOf(b);
    const over: string[] = [];
    a.source.role(0).leadership$.subscribe(({ state }) => over.push(`a ${state}`));
    b.source
      .role(0)
      .leadership$.subscribe(({ state }) =>
        over.push(`b ${state}, ${source.role(0).isLeading() ? 'led' : 'not led'}`),
      );
    void a.revoke();
    await turn();
    expect([reported.at(-1), source.role(0).isLeading(), askedOf(b)]).toEqual([
      'revoking',
      true,
      ['stand 0 no'],
    ]);
    expect(over).toEqual(['a leading', 'b leading, led', 'b revoking, led', 'a revoking']);
    work.resolve();
    await turn();
    expect(over.slice(4)).toEqual(['a waiting', 'b waiting, not led']);
    expect(reported).toEqual(['waiting', 'leading', 'revoking', 'waiting']);
  });

  it('ends the first source once a later one ends, and releases it before that one (H2)', async () => {
    const room = deferred<void>();
    const a = steeredSource({ group: 'ga' }, { resign: () => room.promise });
    const b = steeredSource({ group: 'gb' });
    const source = allOf(a.source, b.source);
    a.grant(7n);
    b.grant(9n);
    const work = deferred<void>();
    void source.role(0).ifLeading(() => work.promise);
    void b.revoke();
    await turn();
    expect([askedOf(a), standingOf(source), standingOf(b.source)]).toEqual([
      ['resign 0 0'],
      'revoking',
      'revoking',
    ]);
    work.resolve();
    await turn();
    // The first source is slow to end. Until it has, a successor could not lead in both.
    expect([askedOf(a), standingOf(source), standingOf(b.source)]).toEqual([
      [],
      'waiting',
      'revoking',
    ]);
    await a.revoke();
    room.resolve();
    await turn();
    expect([standingOf(a.source), standingOf(b.source)]).toEqual(['waiting', 'waiting']);
  });

  it('starts over in the first source when a later one is lost, so that other members can lead', async () => {
    const { source, a, b } = both();
    a.grant(7n);
    b.grant(9n);
    b.host.lost(0, 'expired');
    await turn();
    expect([askedOf(a), standingOf(source)]).toEqual([['resign 0 0'], 'fenced: expired']);
    a.grant(17n);
    b.grant(19n);
    expect(source.role(0).term()?.token).toBe(17n);
  });

  it('keeps its remaining sources under fenced work, for as long as a drain may take (H3)', async () => {
    const { source, a, b } = both({ drainTimeoutMs: 100 });
    a.grant(7n);
    b.grant(9n);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    a.host.lost(0, 'superseded');
    await turn();
    expect([source.role(0).isLeading(), standingOf(b.source)]).toEqual([false, 'revoking']);
    await b.clock.pass(200);
    expect(standingOf(b.source)).toBe('fenced: drain-timed-out');
    // Work of an earlier term does not delay a later one.
    a.grant(17n);
    b.grant(19n);
    const revoked = b.revoke();
    await turn();
    expect([standingOf(a.source), standingOf(b.source)]).toEqual(['waiting', 'waiting']);
    expect(await revoked).toBe('drained');
  });

  it('fences work whose drain timed out in one source, whatever the others report, and lets all leases lapse (H3)', async () => {
    const { source, a, b } = both({ drainTimeoutMs: 100 });
    a.grant(7n, 5000);
    b.grant(9n, 5000);
    const term = source.role(0).term();
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    const revoked = a.revoke();
    await Promise.all([a.clock.pass(200), b.clock.pass(200)]);
    expect([await revoked, term?.fenced.aborted]).toEqual(['fenced', true]);
    expect([standingOf(source), standingOf(b.source)]).toEqual([
      'fenced: drain-timed-out',
      'fenced: drain-timed-out',
    ]);
  });

  it('takes its tokens from the first source, and begins no term with a later one of a lower number (T1, T3)', async () => {
    const { source, a, b } = both();
    a.grant(7n);
    b.grant(5n);
    await turn();
    expect([source.role(0).isLeading(), standingOf(b.source), standingOf(a.source)]).toEqual([
      false,
      'waiting',
      'leading',
    ]);
    expect(askedOf(b)).toEqual(['stand 0 no', 'stand 0 above 7', 'stand 0 no', 'stand 0 above 7']);
    b.grant(8n);
    expect(source.role(0).term()?.token).toBe(7n);
    expect(source.guarantees.tokens).toBe('ordered');
  });

  it('begins no term with a later one of the same number: after a move the first source must continue the order (T1)', async () => {
    const { source, a, b } = both();
    a.grant(7n);
    b.grant(7n);
    await turn();
    expect([source.role(0).isLeading(), standingOf(b.source)]).toEqual([false, 'waiting']);
    b.grant(8n);
    expect(source.role(0).term()?.token).toBe(7n);
    await source.close();
  });

  it('requires no order of unordered tokens', () => {
    const a = steeredSource({ group: 'ga' }, { guarantees: { tokens: 'none' } });
    const b = steeredSource({ group: 'gb' });
    const source = allOf(a.source, b.source);
    a.grant(7n);
    b.grant(5n);
    expect([source.role(0).isLeading(), source.guarantees.tokens]).toEqual([true, 'none']);
  });

  it('resigns the first source after two to four fail-over times of the others, and abstains longer each time', async () => {
    const { a, b } = both();
    for (const abstainMs of [750, 1500]) {
      a.grant(BigInt(abstainMs), 10_000);
      await a.clock.pass(2900);
      expect(askedOf(a)).toEqual([]);
      await a.clock.pass(200);
      expect(askedOf(a)).toEqual([`resign 0 ${abstainMs}`]);
    }
    a.grant(3000n, 20_000);
    b.grant(3001n, 20_000);
    await a.clock.pass(5000);
    expect(askedOf(a)).toEqual([]);
    b.host.lost(0, 'superseded');
    await turn();
    a.grant(4000n, 10_000);
    askedOf(a);
    await a.clock.pass(3100);
    expect(askedOf(a)).toEqual(['resign 0 750']);
  });

  it('resigns also if another member leads a later source, because that member may wait for the first one', async () => {
    const { a, b } = both();
    a.grant(7n, 20_000);
    b.host.leads(0, other);
    await a.clock.pass(1000);
    b.host.leads(0, { ...other, token: 51n });
    await a.clock.pass(2100);
    expect(askedOf(a)).toEqual(['resign 0 750']);
  });

  it('takes the leader from the first source', () => {
    const { source, a, b } = both();
    a.host.leads(0, other);
    b.host.leads(0, { ...other, member: 'y' });
    expect(source.role(0).leader()).toMatchObject({ member: 'x', self: false, token: 50n });
    a.grant(70n);
    // This member leads there, but not in the combination, so there is no known leader.
    a.host.leads(0, { ...other, member: 'a', incarnation: a.host.incarnation, token: 70n });
    expect(source.role(0).leader()).toBeUndefined();
    b.grant(71n);
    expect(source.roster().get(0)).toMatchObject({ member: 'a', self: true, token: 70n });
  });

  it('combines the best of both guarantees, and adds up the fail-over times', () => {
    const { guarantees } = both().source;
    const best = {
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      assumes: ['drift'],
      overlapMsMax: 0,
      failoverMsMax: 2000,
    };
    expect(guarantees).toEqual(best);
    const loose = {
      exclusive: false,
      tokens: 'none',
      handover: 'overlapping',
      overlapMsMax: 700,
      failoverMsMax: 'unbounded',
    } as const;
    const [a, b] = [
      steeredSource({}, { guarantees: { ...loose, assumes: ['session'] } }),
      steeredSource({}, { guarantees: { ...loose, overlapMsMax: 300 } }),
    ];
    expect(allOf(a.source, b.source).guarantees).toEqual({
      ...loose,
      assumes: ['session', 'drift'],
      overlapMsMax: 300,
    });
  });

  it('is ready once all sources are, and never if one cannot be', async () => {
    const one = both();
    one.a.host.ready();
    let isReady = false;
    const ready = one.source.ready().then(() => {
      isReady = true;
    });
    await turn();
    expect(isReady).toBe(false);
    one.b.host.ready();
    await ready;
    const two = both();
    two.b.host.refused('unauthorized', 'no');
    await expect(two.source.ready()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('closes itself if one of its sources is closed: it could never lead again, and other members can', async () => {
    const { source, a, b, reported } = both();
    a.grant(7n);
    b.grant(9n);
    const over = source.role(0).lead(() => undefined);
    await b.source.close();
    await over;
    expect([a.asked.includes('close'), reported.at(-1)]).toEqual([true, 'waiting']);
  });
});
