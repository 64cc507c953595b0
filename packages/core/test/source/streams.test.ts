import { config } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import type { Leadership } from '../../src/contract/leadership.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { stream } from '../../src/source/stream.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

const b = { member: 'b', incarnation: 'b1', token: 8n, metadata: {} };

/** Every stream of a source as lines, in the order of arrival. */
function everything(source: LeadershipSource): string[] {
  const reported: string[] = [];
  const role = source.role(0);
  const say = (line: string): unknown => reported.push(line);
  source.events$.subscribe({
    next: ({ kind }) => say(`event ${kind}`),
    complete: () => say('events complete'),
  });
  role.leader$.subscribe({
    next: (leader) => say(`leader ${leader?.member}`),
    complete: () => say('leader complete'),
  });
  source.held$.subscribe({
    next: (held) => say(`held ${[...held.keys()]}`),
    complete: () => say('held complete'),
  });
  role.leadership$.subscribe({
    next: ({ state }) => say(state),
    complete: () => say('leadership complete'),
  });
  role.leadership$.subscribe((leadership) => {
    if (leadership.state === 'leading')
      leadership.term.signal.addEventListener('abort', () => say('signal'));
  });
  reported.length = 0;
  return reported;
}

/** Work that goes on for ever. */
const endless = new Promise<never>(() => undefined);

describe('the order of notifications', () => {
  it('is: term ends, signals, leadership$, held$, leader$, events$', async () => {
    const { source, grant, revoke, host } = steeredSource();
    const reported = everything(source);
    grant(7n);
    expect(reported.splice(0)).toEqual(['leading', 'held 0', 'leader a', 'event acquired']);
    await revoke();
    expect(reported.splice(0)).toEqual([
      'signal',
      'revoking',
      'event revoked',
      'waiting',
      'held ',
      'leader undefined',
      'event released',
    ]);
    grant(8n);
    reported.length = 0;
    source
      .role(0)
      .term()
      ?.signal.addEventListener('abort', () =>
        reported.push(`believed: ${source.role(0).isLeading()}`),
      );
    host.lost(0, 'superseded');
    host.leads(0, b);
    expect(reported.splice(0)).toEqual([
      'signal',
      'believed: false',
      'fenced',
      'held ',
      'leader undefined',
      'event fenced',
      'waiting',
      'leader b',
      'event leader',
    ]);
    await source.close();
    expect(reported).toEqual([
      'leadership complete',
      'held complete',
      'leader complete',
      'event closed',
      'events complete',
    ]);
  });

  it('ends with fenced if the signal of close aborts while work runs', async () => {
    const { source, grant } = steeredSource();
    grant(7n);
    source.role(0).term()?.waitUntil(endless);
    const reported = everything(source);
    await source.close({ signal: AbortSignal.abort() });
    expect(reported.slice(0, 2)).toEqual(['signal', 'fenced']);
    expect(reported.indexOf('leadership complete')).toBeGreaterThan(
      reported.indexOf('event fenced'),
    );
  });
});

describe('every stream', () => {
  const all = (
    source: LeadershipSource,
  ): Record<string, { subscribe(observer: object): unknown }> => {
    const role = source.role(0);
    return {
      leadership$: role.leadership$,
      leader$: role.leader$,
      held$: source.held$,
      roster$: source.roster$,
    };
  };

  it.each(['leadership$', 'leader$', 'held$', 'roster$'])(
    '%s replays its latest value, and completes after it once closed',
    async (name) => {
      const { source, grant } = steeredSource();
      const seen: unknown[] = [];
      grant(7n);
      all(source)[name]?.subscribe({
        next: (value: unknown) => seen.push(value),
        complete: () => seen.push('complete'),
      });
      expect(seen.length).toBe(1);
      await source.close();
      expect(seen.at(-1)).toBe('complete');
      const late: unknown[] = [];
      all(source)[name]?.subscribe({
        next: (value: unknown) => late.push(value),
        complete: () => late.push('complete'),
      });
      expect(late).toEqual(seen.slice(-2));
    },
  );

  it.each(['leadership$', 'leader$', 'held$', 'roster$'])(
    '%s never repeats a value, whatever else is called',
    async (name) => {
      const { source, grant, revoke, host } = steeredSource();
      const seen: unknown[] = [];
      all(source)[name]?.subscribe({ next: (value: unknown) => seen.push(value) });
      const ask = (): void => {
        all(source)[name]?.subscribe({});
        source.held();
        source.roster();
        source.role(0).leader();
      };
      for (const happens of [
        () => grant(7n),
        () => grant(7n),
        revoke,
        () => host.leads(0, b),
        () => host.leads(0, { ...b }),
      ]) {
        await happens();
        ask();
      }
      for (const [index, value] of seen.entries())
        if (index > 0) expect(value).not.toEqual(seen[index - 1]);
      expect(seen.length).toBeGreaterThan(2);
      await source.close();
    },
  );

  it('reports an absent leader once: a roster lists every led partition, its own only while it leads (H5)', async () => {
    const { source, grant, host, clock } = steeredSource({ metadata: { url: 'http://a' } });
    grant(7n);
    host.leads(1, b);
    expect(
      [...source.roster()].map(([partition, { member, self }]) => [partition, member, self]),
    ).toEqual([
      [0, 'a', true],
      [1, 'b', false],
    ]);
    expect(source.role(0).leader()?.metadata).toEqual({ url: 'http://a' });
    clock.block(1000);
    expect([...source.roster().keys()]).toEqual([1]);
    await source.close();
  });

  it('does not report this member as the leader only because the backend does', async () => {
    const { source, host } = steeredSource();
    const seen: unknown[] = [];
    source.role(0).leader$.subscribe((leader) => seen.push(leader));
    host.leads(0, { member: 'a', incarnation: host.incarnation, token: 7n, metadata: {} });
    expect(seen).toEqual([undefined]);
    await source.close();
  });

  it('reports a leader’s metadata as soon as it is read, and this member’s own always', async () => {
    const { source, grant, host } = steeredSource({ metadata: { url: 'http://a' } });
    host.leads(0, b);
    host.leads(0, { ...b, metadata: { url: 'http://b' } });
    expect(source.role(0).leader()?.metadata).toEqual({ url: 'http://b' });
    grant(9n);
    host.leads(0, { member: 'a', incarnation: host.incarnation, token: 9n, metadata: {} });
    expect(source.role(0).leader()?.metadata).toEqual({ url: 'http://a' });
    await source.close();
  });
});

describe('a subscriber', () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it('that throws affects no other subscriber, and is reported', async () => {
    const errors: unknown[] = [];
    config.onUnhandledError = (error) => errors.push(String(error));
    const { source, grant } = steeredSource();
    const seen: string[] = [];
    const fail = (): never => {
      throw new Error('mine');
    };
    source.role(0).leadership$.subscribe(fail);
    source.events$.subscribe(fail);
    source.role(0).leadership$.subscribe(({ state }) => seen.push(state));
    source.events$.subscribe(({ kind }) => seen.push(kind));
    expect(grant(7n)).toBe('began');
    expect(seen).toEqual(['waiting', 'leading', 'acquired']);
    await source.close();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(new Set(errors)).toEqual(new Set(['Error: mine']));
    expect(errors.length).toBeGreaterThan(3);
  });

  it('that ends the term that it receives leaves the others with the current state, and the log in order', async () => {
    const { source, grant } = steeredSource();
    const role = source.role(0);
    const [states, leaders, held]: [string[], unknown[], number[]] = [[], [], []];
    const logs: string[][] = [[], []];
    role.leadership$.subscribe((leadership) => {
      if (leadership.state !== 'leading') return;
      leadership.term.waitUntil(endless);
      void source.close({ signal: AbortSignal.abort() });
    });
    role.leadership$.subscribe(({ state }) => states.push(state));
    role.leader$.subscribe((leader) => leaders.push(leader?.member));
    source.held$.subscribe(({ size }) => held.push(size));
    for (const log of logs) source.events$.subscribe(({ kind }) => log.push(kind));
    grant(7n);
    expect(states).toEqual(['waiting', 'fenced']);
    expect(leaders).toEqual([undefined]);
    expect(held).toEqual([0]);
    expect(logs[0]).toEqual(['acquired', 'fenced']);
    await source.close();
    expect(role.leader()).toBeUndefined();
  });

  it('of the log that reacts to an event does not change the order for others', async () => {
    const { source, grant } = steeredSource();
    const log: LeadershipEvent['kind'][] = [];
    source.events$.subscribe(({ kind }) => {
      if (kind !== 'acquired') return;
      source.role(0).term()?.waitUntil(endless);
      void source.close({ signal: AbortSignal.abort() });
    });
    source.events$.subscribe(({ kind }) => log.push(kind));
    grant(7n);
    await source.close();
    expect(log).toEqual(['acquired', 'fenced', 'closed']);
  });

  it('that unsubscribes during an emission receives nothing more, and a new one receives the value once', () => {
    const values = stream(0, () => undefined);
    const [leaving, joining]: [number[], number[]] = [[], []];
    const subscription = values.value$.subscribe((value) => {
      leaving.push(value);
      if (value !== 1) return;
      subscription.unsubscribe();
      values.value$.subscribe((late) => joining.push(late));
    });
    values.set(1);
    values.set(2);
    expect([leaving, joining]).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('receives nothing if another subscriber reverts the value before its turn', () => {
    const values = stream('x', () => undefined);
    const seen: string[] = [];
    values.value$.subscribe((value) => value === 'y' && values.set('x'));
    values.value$.subscribe((value) => seen.push(value));
    values.set('y');
    expect(seen).toEqual(['x']);
  });
});

describe('async iteration', () => {
  it('yields the latest value, skips those it was too slow for, and ends with the source', async () => {
    const { source, grant, host } = steeredSource();
    const states: Leadership[] = [];
    const iterator = source.role(0)[Symbol.asyncIterator]();
    grant(7n);
    states.push((await iterator.next()).value as Leadership);
    const next = iterator.next();
    host.lost(0, 'superseded');
    states.push((await next).value as Leadership);
    expect(states.map(({ state }) => state)).toEqual(['leading', 'fenced']);
    host.leads(0, undefined);
    const [last, end] = [iterator.next(), iterator.next()];
    await source.close();
    expect([(await last).value, (await end).done, (await iterator.next()).done]).toEqual([
      { state: 'waiting' },
      true,
      true,
    ]);
  });

  it('unsubscribes at once when it is left early', async () => {
    const { source, grant } = steeredSource();
    for await (const { state } of source.role(0)) {
      if (state === 'waiting') grant(7n);
      else break;
    }
    const iterator = source.role(0)[Symbol.asyncIterator]();
    const pending = [iterator.next(), iterator.next()];
    await iterator.return?.();
    expect((await pending[1])?.done).toBe(true);
    expect((await iterator.next()).done).toBe(true);
    await turn();
    await source.close();
  });
});
