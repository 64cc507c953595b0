import { describe, expect, it } from 'vitest';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import type { Leadership } from '../../src/contract/leadership.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { combinedBy } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

const refusal = { code: 'partitions-differ', message: 'the group has 4 partitions, not 2' };

/** Collects everything that the source's first role reports. */
function hearings(source: LeadershipSource): { readonly received: string[] } {
  const received: string[] = [];
  const observer = (name: string, show: (value: never) => unknown): object => ({
    next: (value: unknown) => void received.push(`${name} ${String(show(value as never))}`),
    complete: () => void received.push(`${name} completes`),
  });
  source.role(0).leadership$.subscribe(observer('leadership', ({ state }: Leadership) => state));
  source.role(0).leader$.subscribe(observer('leader', (leader: unknown) => leader));
  source.held$.subscribe(observer('held', (terms: Map<number, unknown>) => terms.size));
  source.roster$.subscribe(observer('roster', (roster: Map<number, unknown>) => roster.size));
  return { received };
}

describe('a source that is refused for good', () => {
  it('rejects running and later calls of lead and leadEach, with the error and its cause', async () => {
    const { source, host } = steeredSource();
    const cause = new Error('pin');
    const under = [source.role(0).lead(() => undefined), source.leadEach(() => undefined)];
    const ends = Promise.allSettled(under);
    host.refused('partitions-differ', refusal.message, cause);
    const later = await Promise.allSettled([
      source.role('x').lead(() => undefined),
      source.leadEach(() => undefined),
      source.ready(),
    ]);
    for (const end of [...(await ends), ...later])
      expect(end).toMatchObject({ status: 'rejected', reason: { ...refusal, cause } });
    await source.close();
  });

  it('ends its streams in a terminal state, which later subscribers receive too', async () => {
    const { source, host, grant } = steeredSource();
    const { received } = hearings(source);
    host.leads(0, { member: 'b', token: 3n, metadata: {}, incarnation: 'b1' });
    received.length = 0;
    host.refused('partitions-differ', refusal.message);
    const end = [
      'leadership refused',
      'leader undefined',
      'roster 0',
      'leadership completes',
      'held completes',
      'leader completes',
    ];
    expect(received).toEqual([...end, 'roster completes']);
    expect(hearings(source).received).toContain('leadership refused');
    host.leads(0, { member: 'b', token: 4n, metadata: {}, incarnation: 'b1' });
    expect([grant(9n), source.role(0).isLeading(), source.role(0).leader()]).toEqual([
      'over',
      false,
      undefined,
    ]);
    const states: string[] = [];
    for await (const { state } of source.role(0)) states.push(state);
    expect(states).toEqual(['refused']);
    await source.close();
  });

  it('errors the observables of whileLeading', async () => {
    const { source, host } = steeredSource();
    const errors: unknown[] = [];
    source
      .role(0)
      .whileLeading(() => [])
      .subscribe({ error: (error) => errors.push(error) });
    host.refused('partitions-differ', refusal.message);
    expect(errors).toMatchObject([refusal]);
    await source.close();
  });

  it('fences a current term', async () => {
    const { source, host, grant } = steeredSource();
    grant(7n);
    const term = source.role(0).term();
    host.refused('partitions-differ', refusal.message);
    expect([term?.fenced.aborted, source.held().size]).toEqual([true, 0]);
    await source.close();
  });

  it('lists the refusal in health() once, before the event', async () => {
    const { source, host } = steeredSource({ log: false });
    const events: [LeadershipEvent, boolean][] = [];
    source.events$.subscribe((event) =>
      events.push([event, source.health().troubles.length === 1]),
    );
    host.trouble('partitions-differ', refusal.message);
    host.refused('partitions-differ', refusal.message);
    expect(source.health()).toMatchObject({ ok: false, troubles: [refusal] });
    expect(events).toMatchObject([
      [{ kind: 'trouble', ...refusal }, true],
      [{ kind: 'refused', ...refusal }, true],
    ]);
    await source.close();
  });

  it('ignores a refusal after it was closed', async () => {
    const { source, host } = steeredSource();
    await source.role(0).lead(() => undefined, { signal: AbortSignal.abort() });
    await source.close();
    host.refused('partitions-differ', refusal.message);
    await source.role(0).lead(() => undefined);
    expect(source.health().troubles).toEqual([]);
  });

  it('refuses allOf, and releases the other sources', async () => {
    const { source, a, b } = combinedBy(allOf);
    const ended = source.role(0).lead(() => undefined);
    const { received } = hearings(source);
    b.host.refused('partitions-differ', refusal.message);
    await expect(ended).rejects.toMatchObject(refusal);
    await turn();
    expect(a.asked).toContain('close');
    expect(received).toContain('leadership refused');
    await source.close();
  });

  it('refuses anyOf once every source is refused', async () => {
    const { source, a, b } = combinedBy(anyOf);
    const ended = source.role(0).lead(() => undefined);
    b.host.refused('partitions-differ', refusal.message);
    a.grant(7n);
    expect([source.role(0).isLeading(), source.health().ok]).toEqual([true, false]);
    a.host.refused('unauthorized', 'no');
    await expect(ended).rejects.toMatchObject({ code: 'unauthorized' });
    await source.close();
  });
});
