import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { Term } from '../../src/contract/term.ts';
import { type LingeringSource, lingeringSource, standingOf } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

const opened: LeadershipSource[] = [];

afterEach(async () => {
  for (const source of opened.splice(0)) await source.close({ signal: AbortSignal.abort() });
});

/** Combines sources that the test closes at its end. */
function combined(combine: typeof anyOf, ...sources: LeadershipSource[]): LeadershipSource {
  const source = combine(...sources);
  opened.push(source);
  return source;
}

/** A source that ends at once when it resigns, and one that leads until it has a successor. */
function quickAndSlow(options: SourceOptions = {}): {
  readonly a: SteeredSource;
  readonly b: LingeringSource;
} {
  const a = steeredSource({ group: 'ga', ...options });
  const b = lingeringSource({ group: 'gb', ...options });
  a.grant(7n, 10_000);
  b.grant(8n, 10_000);
  return { a, b };
}

function termOf(source: LeadershipSource): Term {
  const term = source.role(0).term();
  if (term === undefined) throw new Error('the source does not lead');
  return term;
}

/** Reads whether a promise has resolved. */
function watched(promise: Promise<unknown>): { readonly isOver: boolean } {
  const watch = { isOver: false };
  void promise.then(() => {
    watch.isOver = true;
  });
  return watch;
}

describe('a term of anyOf that was resigned', () => {
  it('ends once a source leads again, although another has not ended yet (H2)', async () => {
    const { a, b } = quickAndSlow();
    const source = combined(anyOf, a.source, b.source);
    const states: string[] = [];
    source.role(0).leadership$.subscribe(({ state }) => states.push(state));
    const term = termOf(source);
    const resigned = watched(source.role(0).resign());
    await turn();
    expect([standingOf(a.source), term.isCurrent(), term.signal.aborted]).toEqual([
      'waiting',
      true,
      false,
    ]);
    a.grant(9n, 10_000);
    expect(term.signal.aborted).toBe(true);
    await turn();
    expect([term.isCurrent(), source.role(0).isLeading(), resigned.isOver]).toEqual([
      false,
      true,
      false,
    ]);
    b.succeed();
    await turn();
    // The later terms of the sources do not count.
    expect([resigned.isOver, termOf(source).token]).toEqual([true, 9n]);
    expect(states).toEqual(['leading', 'revoking', 'waiting', 'leading']);
  });

  it('ends with its sources if none leads again (H2)', async () => {
    const { a, b } = quickAndSlow();
    const source = combined(anyOf, a.source, b.source);
    const term = termOf(source);
    const resigned = watched(source.role(0).resign());
    await turn();
    expect([term.isCurrent(), resigned.isOver]).toEqual([true, false]);
    b.succeed();
    await turn();
    expect([term.isCurrent(), resigned.isOver, standingOf(source)]).toEqual([
      false,
      true,
      'waiting',
    ]);
  });

  it('ends also if each source leads again as soon as it has ended', async () => {
    const a = lingeringSource({ group: 'ga' });
    const b = lingeringSource({ group: 'gb' });
    const source = combined(anyOf, a.source, b.source);
    a.grant(7n);
    b.grant(8n);
    const term = termOf(source);
    const resigned = watched(source.role(0).resign());
    a.succeed();
    await turn();
    a.grant(9n);
    await turn();
    expect([term.isCurrent(), source.role(0).isLeading()]).toEqual([false, true]);
    b.succeed();
    await turn();
    b.grant(10n);
    expect([resigned.isOver, termOf(source).token]).toEqual([true, 9n]);
  });

  it('keeps its sources until its work has settled, although one leads again (H2)', async () => {
    const { a, b } = quickAndSlow();
    const source = combined(anyOf, a.source, b.source);
    const term = termOf(source);
    const work = deferred<void>();
    void source.role(0).ifLeading(() => work.promise);
    const resigned = watched(source.role(0).resign());
    await turn();
    a.grant(9n, 10_000);
    b.succeed();
    await turn();
    expect([standingOf(source), standingOf(b.source), resigned.isOver]).toEqual([
      'revoking',
      'revoking',
      false,
    ]);
    expect(term.isCurrent()).toBe(true);
    work.resolve();
    await turn();
    expect([standingOf(source), standingOf(b.source), resigned.isOver]).toEqual([
      'leading',
      'waiting',
      true,
    ]);
    expect([term.isCurrent(), termOf(source).token]).toEqual([false, 9n]);
  });

  it('is over when resign() resolves, although all sources that were resigned are lost before', async () => {
    const { a, b } = quickAndSlow();
    const source = combined(anyOf, a.source, b.source);
    const work = deferred<void>();
    void source.role(0).ifLeading(() => work.promise);
    const resigned = watched(source.role(0).resign());
    await turn();
    a.grant(9n, 10_000);
    b.host.lost(0, 'superseded');
    await turn();
    expect([standingOf(source), resigned.isOver]).toEqual(['revoking', false]);
    work.resolve();
    await turn();
    expect([standingOf(source), resigned.isOver]).toEqual(['leading', true]);
  });

  it('is fenced if its work takes too long, and another term begins (H3)', async () => {
    const { a, b } = quickAndSlow({ drainTimeoutMs: 100 });
    const source = combined(anyOf, a.source, b.source);
    const term = termOf(source);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    const resigned = watched(source.role(0).resign());
    await turn();
    a.grant(9n, 10_000);
    b.succeed();
    await Promise.all([a.clock.pass(101), b.clock.pass(101)]);
    expect([term.fenced.aborted, termOf(source).token, resigned.isOver]).toEqual([true, 9n, true]);
  });

  it('lets work that threw run again, and the trouble end', async () => {
    const { a, b } = quickAndSlow();
    const source = combined(anyOf, a.source, b.source);
    a.host.ready();
    b.host.ready();
    let runs = 0;
    void source.role(0).lead(() => {
      runs += 1;
      if (runs === 1) throw new Error('once');
      return deferred<void>().promise;
    });
    await turn();
    const troubles = (): string[] => source.health().troubles.map(({ code }) => code);
    // Nothing runs before the sources have abstained, although one of them still leads.
    expect([runs, troubles(), source.role(0).isLeading()]).toEqual([1, ['work-failed'], true]);
    a.grant(9n, 10_000);
    await turn();
    expect([runs, troubles()]).toEqual([2, []]);
  });

  it('lets an outer allOf lead again that ended because of another source', async () => {
    const { a, b } = quickAndSlow();
    const c = steeredSource({ group: 'gc' });
    const inner = anyOf(a.source, b.source);
    const source = combined(allOf, inner, c.source);
    c.grant(9n, 10_000);
    expect(source.role(0).isLeading()).toBe(true);
    void c.revoke();
    await turn();
    expect([standingOf(source), standingOf(inner), standingOf(c.source)]).toEqual([
      'waiting',
      'leading',
      'revoking',
    ]);
    a.grant(10n, 10_000);
    await turn();
    expect([standingOf(inner), standingOf(c.source), c.asked.at(-1)]).toEqual([
      'leading',
      'waiting',
      'stand 0 above 10',
    ]);
    c.grant(11n, 10_000);
    expect(termOf(source).token).toBe(10n);
  });
});

describe('work of a combination that awaits resign() of one of its sources', () => {
  it.each([
    ['anyOf', anyOf],
    ['allOf', allOf],
  ] as const)('waits for itself until drainTimeoutMs: %s (H3)', async (_name, combine) => {
    const [a, b] = [1, 2].map((number) =>
      steeredSource({ group: `g${number}`, drainTimeoutMs: 100 }),
    );
    if (a === undefined || b === undefined) throw new Error('there are two');
    const source = combined(combine, a.source, b.source);
    for (const one of [a, b]) one.host.ready();
    let isOver = false;
    a.grant(7n, 10_000);
    b.grant(8n, 10_000);
    void source.role(0).lead(async () => {
      await Promise.all([a, b].map((one) => one.source.role(0).resign()));
      isOver = true;
    });
    await Promise.all([a.clock.pass(60), b.clock.pass(60)]);
    expect([isOver, source.health().warnings.map(({ code }) => code)]).toEqual([
      false,
      expect.arrayContaining(['slow-drain']),
    ]);
    await Promise.all([a.clock.pass(60), b.clock.pass(60)]);
    expect([isOver, standingOf(source)]).toEqual([true, 'fenced: drain-timed-out']);
  });
});
