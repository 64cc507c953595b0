import type { Observable } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { commandOf } from '../../src/source/command.ts';
import { type Combined, combinedBy as combineTwo, other, standingOf } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

let opened: LeadershipSource[] = [];

function combinedBy(combine: typeof anyOf, options = {}): Combined {
  const combined = combineTwo(combine, options);
  opened.push(combined.source);
  return combined;
}

afterEach(async () => {
  await Promise.all(
    opened.map((source) => source.close({ signal: AbortSignal.abort() }).catch(() => undefined)),
  );
  opened = [];
});

function refusalOf(combine: () => LeadershipSource): string {
  try {
    opened.push(combine());
  } catch (error) {
    if (error instanceof LeadershipError && error.code === 'invalid-options') return error.message;
    throw error;
  }
  return 'nothing was refused';
}

describe('allOf refuses', () => {
  it('a source that observes beside one that campaigns, because it would block all other members', () => {
    const sources = (...campaigns: boolean[]) =>
      campaigns.map((campaign) => steeredSource({ campaign }).source);
    const words = (observer: number, contender: number) =>
      `allOf() would never lead: number ${observer} only observes, and number ${contender} would keep others from leading`;
    expect(refusalOf(() => allOf(...sources(true, true, false)))).toBe(words(3, 1));
    expect(refusalOf(() => allOf(...sources(false, true)))).toBe(words(1, 2));
    expect(refusalOf(() => allOf(...sources(false, false)))).toBe('nothing was refused');
  });

  it('a later source whose backend cannot follow', () => {
    const [a, b] = [steeredSource(), steeredSource({}, { follows: false })];
    const words =
      'allOf() needs later sources to follow the first, and the backend of number 2 cannot';
    expect(refusalOf(() => allOf(a.source, b.source))).toBe(words);
    expect(refusalOf(() => allOf(b.source, a.source))).toBe('nothing was refused');
  });
});

describe.each([
  ['anyOf', anyOf],
  ['allOf', allOf],
] as const)('%s, as a source', (name, combine) => {
  const refusal = (...sources: LeadershipSource[]): string => refusalOf(() => combine(...sources));

  it('refuses to combine no source', () => {
    expect(refusal()).toBe(`${name}() needs at least one source, and got none`);
  });

  it('refuses sources with other partitions or another member', () => {
    const a = steeredSource({ group: 'ga' });
    const five = steeredSource({ group: 'gb', partitions: 5 });
    const somebody = steeredSource({ group: 'gb', member: 'b' });
    expect(refusal(a.source, five.source)).toBe(
      `${name}() needs sources with the same partitions: number 1 has 2, number 2 has 5`,
    );
    expect(refusal(a.source, somebody.source)).toBe(
      `${name}() needs sources with the same member: number 1 has "a", number 2 has "b"`,
    );
  });

  it('refuses a closed source, at any place', async () => {
    const a = steeredSource({ group: 'ga' });
    const closed = steeredSource({ group: 'gb' });
    await closed.source.close();
    expect(refusal(a.source, closed.source)).toBe(
      `${name}() cannot take source number 2: it is closed`,
    );
    expect(refusal(closed.source)).toBe(`${name}() cannot take source number 1: it is closed`);
  });

  it('refuses the same source twice', () => {
    const a = steeredSource({ group: 'ga' });
    const b = steeredSource({ group: 'gb' });
    expect(refusal(a.source, b.source, a.source)).toBe(
      `${name}() got one source twice: as number 1 and as number 3`,
    );
  });

  it('refuses what is not a source of this library', () => {
    const a = steeredSource({ group: 'ga' });
    const stranger = { role: () => undefined } as unknown as LeadershipSource;
    const words = 'it was not opened by this library';
    expect(refusal(a.source, stranger)).toBe(`${name}() cannot take number 2: ${words}`);
    expect(refusal(undefined as unknown as LeadershipSource)).toBe(
      `${name}() cannot take number 1: ${words}`,
    );
  });

  it('refuses a combined source, but accepts one that was refused before', async () => {
    const a = steeredSource({ group: 'ga' });
    const b = steeredSource({ group: 'gb' });
    const closed = steeredSource({ group: 'gb' });
    await closed.source.close();
    const unfit = [
      steeredSource({ group: 'gb', partitions: 5 }).source,
      steeredSource({ group: 'gb', member: 'b' }).source,
      closed.source,
      a.source,
      undefined as unknown as LeadershipSource,
    ];
    for (const one of unfit)
      expect(refusal(a.source, b.source, one)).not.toBe('nothing was refused');
    expect(refusal(a.source, b.source)).toBe('nothing was refused');
    const taken = 'it belongs to another combination';
    expect(refusal(steeredSource({ group: 'gb' }).source, b.source)).toBe(
      `${name}() cannot take source number 2: ${taken}`,
    );
  });

  it('notifies in this order: term ends, signals, leadership$, held$, leader$, events$', () => {
    const { source, a, b } = combinedBy(combine);
    const reported: string[] = [];
    const role = source.role(0);
    source.events$.subscribe(({ kind }) => reported.push(`event ${kind}`));
    role.leader$.subscribe((leader) => reported.push(`leader ${leader?.member}`));
    source.held$.subscribe((held) => reported.push(`held ${[...held.keys()]}`));
    role.leadership$.subscribe((leadership) => {
      reported.push(leadership.state);
      if (leadership.state === 'leading')
        leadership.term.signal.addEventListener('abort', () =>
          reported.push(`signal ${role.isLeading()}`),
        );
    });
    reported.length = 0;
    a.grant(7n);
    b.grant(8n);
    a.host.lost(0, 'superseded');
    b.host.lost(0, 'superseded');
    const began = ['leading', 'held 0', 'leader a', 'event acquired'];
    const ended = ['signal false', 'fenced', 'held ', 'leader undefined', 'event fenced'];
    expect(reported).toEqual([...began, ...ended]);
  });

  it('replays the current value at the moment of subscription, on every stream', () => {
    const { source, a, b } = combinedBy(combine);
    a.grant(7n, 1000);
    b.grant(8n, 1000);
    for (const { clock } of [a, b]) clock.block(1000);
    const seen: unknown[] = [];
    source.held$.subscribe((held) => seen.push(held.size));
    source.roster$.subscribe((roster) => seen.push(roster.size));
    source.role(0).leader$.subscribe((leader) => seen.push(leader));
    source.role(0).leadership$.subscribe(({ state }) => seen.push(state));
    expect(seen).toEqual([0, 0, undefined, 'fenced']);
  });

  it('waits again once other leaders are reported', async () => {
    const { a, b, reported } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    a.host.lost(0, 'superseded');
    b.host.lost(0, 'superseded');
    await turn();
    expect(reported.at(-1)).toBe('fenced');
    a.host.leads(0, other);
    b.host.leads(0, other);
    expect(reported.at(-1)).toBe('waiting');
  });

  it('runs lead, leadEach and whileLeading once per term', async () => {
    const { source, a, b } = combinedBy(combine);
    const runs: string[] = [];
    void source.role(0).lead(({ token }) => void runs.push(`lead ${token}`));
    void source.leadEach(({ partition }) => void runs.push(`each ${partition}`));
    source
      .role(0)
      .whileLeading(() => [1])
      .subscribe((value) => runs.push(`while ${value}`));
    a.grant(7n);
    b.grant(8n);
    await turn();
    expect(runs.sort()).toEqual(['each 0', 'lead 7', 'while 1']);
  });

  it('adds up ignored messages, and reports the worst measurement of its sources', () => {
    const { source, a, b } = combinedBy(combine);
    a.host.ready();
    b.host.ready();
    a.host.ignored('garbage');
    b.host.ignored('garbage');
    a.host.measured('clockErrorMs', 2);
    b.host.measured('clockErrorMs', 4);
    a.host.measured('leaseMarginMs', 300);
    b.host.measured('leaseMarginMs', 700);
    expect(source.health()).toMatchObject({
      ok: true,
      ignored: { garbage: 2 },
      measured: { clockErrorMs: 4, leaseMarginMs: 300 },
    });
  });

  it('is confirmed by any source of anyOf, and by the last of all sources of allOf', () => {
    const { source, a, b } = combinedBy(combine);
    a.host.ready();
    b.host.ready();
    b.host.confirmed();
    b.clock.block(30);
    expect(source.health().confirmedMsAgo).toBe(name === 'anyOf' ? 30 : undefined);
    a.host.confirmed();
    expect(source.health().confirmedMsAgo).toBe(name === 'anyOf' ? 0 : 30);
  });

  it('reports the troubles and warnings of each source, with its group', () => {
    const { source, a, b } = combinedBy(combine);
    const troubles: (string | undefined)[] = [];
    source.events$.subscribe(({ kind, code }: LeadershipEvent) => troubles.push(`${kind} ${code}`));
    a.host.ready();
    b.host.ready();
    const away = b.host.trouble('unreachable', 'away');
    expect(source.health()).toMatchObject({
      ok: false,
      troubles: [{ code: 'unreachable', message: 'gb: away' }],
    });
    away[Symbol.dispose]();
    a.host.warning('misconfigured-backend', 'one replica');
    expect(source.health()).toMatchObject({
      ok: true,
      warnings: [{ code: 'misconfigured-backend', message: 'ga: one replica' }],
    });
    expect(troubles).toEqual([
      'trouble unreachable',
      'mended unreachable',
      'warning misconfigured-backend',
    ]);
  });

  it('resigns in every source that does not follow the first', async () => {
    const { source, a, b } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    await source.role(0).resign();
    expect(a.asked).toContain('resign 0 0');
    expect(b.asked.at(-1)).toBe(name === 'anyOf' ? 'resign 0 0' : 'stand 0 no');
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('abstains in every source that does not follow the first for as long as work that throws requires', async () => {
    const { source, a, b } = combinedBy(combine);
    void source.role(0).lead(() => {
      throw new Error('broken work');
    });
    a.grant(17n);
    b.grant(18n);
    await turn();
    await turn();
    a.host.ready();
    b.host.ready();
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'work-failed' }] });
    const abstains = ({ asked }: typeof a): boolean =>
      asked.some((words) => /^resign 0 [5-9]\d\d/.test(words));
    expect([a, b].map(abstains)).toEqual([true, name === 'anyOf']);
  });

  it('waits for work that is added to a term during the drain, and for nothing afterwards (H2)', async () => {
    const { source, a, b, reported } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    const term = source.role(0).term();
    const [one, another] = [deferred<void>(), deferred<void>()];
    term?.waitUntil(one.promise);
    void source.role(0).resign();
    term?.waitUntil(another.promise);
    one.resolve();
    await turn();
    expect(reported.at(-1)).toBe('revoking');
    another.resolve();
    await turn();
    expect(reported.at(-1)).toBe('waiting');
    expect(() => term?.waitUntil(Promise.resolve())).toThrow(LeadershipError);
  });

  it('is fenced if its lease expires before the work has settled, even without a notification (H4)', async () => {
    const { source, a, b, reported } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    const work = deferred<void>();
    void source.role(0).ifLeading(() => work.promise);
    void a.revoke();
    void b.revoke();
    await turn();
    for (const { clock } of [a, b]) clock.block(1000);
    work.resolve();
    await turn();
    expect(reported).toEqual(['waiting', 'leading', 'revoking', 'fenced', 'waiting']);
  });

  it('closes every source, completes every stream, and waits for work', async () => {
    const { source, a, b, reported } = combinedBy(combine);
    const done: string[] = [];
    const role = source.role(0);
    const { held$: held, roster$: roster, events$: events } = source;
    const streams: Readonly<Record<string, Observable<unknown>>> = {
      held,
      roster,
      events,
      leader: role.leader$,
      leadership: role.leadership$,
    };
    for (const [what, stream$] of Object.entries(streams))
      stream$.subscribe({ complete: () => done.push(what) });
    const work = deferred<void>();
    a.grant(7n);
    b.grant(8n);
    void role.lead(() => work.promise);
    const closed = source.close();
    await turn();
    expect([done, reported.at(-1)]).toEqual([[], 'revoking']);
    work.resolve();
    await Promise.all([closed, source.close()]);
    expect(done.sort()).toEqual(['events', 'held', 'leader', 'leadership', 'roster']);
    expect([a.asked.includes('close'), b.asked.includes('close'), reported.at(-1)]).toEqual([
      true,
      true,
      'waiting',
    ]);
    expect([role.isLeading(), role.term(), source.held().size, role.ifLeading(() => 1)]).toEqual([
      false,
      undefined,
      0,
      undefined,
    ]);
    await role.lead(() => undefined);
    expect([a.clock.pending, b.clock.pending]).toEqual([0, 0]);
  });

  it('is closing when a subscriber that is notified of the revocation closes it again', async () => {
    const { source, a, b } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    const nested: unknown[] = [];
    source.role(0).leadership$.subscribe(({ state }) => {
      if (state !== 'revoking') return;
      nested.push(commandOf(source)?.isClosing(), source.close());
    });
    await source.close();
    expect(nested).toEqual([true, expect.any(Promise)]);
    await nested[1];
    expect([a.asked, b.asked].map((asked) => asked.filter((call) => call === 'close'))).toEqual([
      ['close'],
      ['close'],
    ]);
  });

  it('fences at once when the signal of close aborts', async () => {
    const { source, a, b, reported } = combinedBy(combine);
    a.grant(7n);
    b.grant(8n);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    await source.close({ signal: AbortSignal.abort() });
    expect([reported.at(-1), standingOf(source)]).toEqual(['fenced', 'fenced: closed']);
  });

  it('can be closed from inside its own work', async () => {
    const { source, a, b } = combinedBy(combine);
    const closed = deferred<void>();
    void source.role(0).lead(async () => {
      await source.close();
      closed.resolve();
    });
    a.grant(7n);
    b.grant(8n);
    await closed.promise;
  });

  it('rejects if a source cannot be closed, after closing all of them', async () => {
    const a = steeredSource({ group: 'ga' }, { close: () => Promise.reject(new Error('stuck')) });
    const b = steeredSource({ group: 'gb' });
    const source = combine(a.source, b.source);
    await expect(source.close()).rejects.toThrow('stuck');
    expect(b.asked).toContain('close');
  });

  it('observes if its sources do, and then never leads', () => {
    const both = [false, false].map((campaign) => steeredSource({ campaign }));
    const source = combine(...both.map((one) => one.source));
    opened.push(source);
    expect(standingOf(source)).toBe('observing');
    expect(both.flatMap(({ asked }) => asked)).toEqual([]);
    both[0]?.host.leads(0, other);
    expect(source.role(0).leader()?.member).toBe('x');
  });

  it('accepts sources that already lead, and derives its name from theirs', () => {
    const metadata = { url: 'here' };
    const [a, b] = [
      steeredSource({ group: 'ga', member: 'm', metadata }),
      steeredSource({ group: 'gb', member: 'm' }),
    ];
    a.grant(7n);
    if (name === 'anyOf') b.grant(8n);
    const source = combine(a.source, b.source);
    opened.push(source);
    b.grant(8n);
    expect(source.role(0).isLeading()).toBe(true);
    expect([source.group, source.member, source.partitions]).toEqual([
      name === 'anyOf' ? 'ga | gb' : 'ga & gb',
      'm',
      2,
    ]);
    expect(source.role(0).leader()).toEqual({ member: 'm', self: true, token: 7n, metadata });
    expect(() => source.role(0.5)).toThrow(LeadershipError);
  });

  it('can itself be combined', () => {
    const { source: inner, a, b } = combinedBy(combine);
    const c = steeredSource({ group: 'gc' });
    const source = allOf(c.source, inner);
    opened.push(source);
    c.grant(7n);
    // Of an inner allOf, the second source stands only once the first has been granted.
    const stands = [a, b].map(({ asked }) => asked.includes('stand 0 above 7'));
    expect(stands).toEqual([true, name === 'anyOf']);
    a.grant(8n);
    b.grant(9n);
    expect([
      inner.role(0).isLeading(),
      source.role(0).isLeading(),
      source.role(0).term()?.token,
    ]).toEqual([true, true, 7n]);
    expect(source.group).toBe(`gc & ${inner.group}`);
  });
});
