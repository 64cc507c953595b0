// The state at the moment of the call, after the event loop was blocked past the deadline (H5): the
// same for plain and combined sources.
import { describe, expect, it } from 'vitest';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { Leadership } from '../../src/contract/leadership.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { Term } from '../../src/contract/term.ts';
import { combinedBy, standingOf } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

interface Blockable {
  readonly source: LeadershipSource;
  lead(): void;
  /** Blocks the event loop for longer than any lease lasts. */
  block(): void;
}

function plain(): Blockable {
  const { source, grant, clock } = steeredSource();
  return { source, lead: () => void grant(7n), block: () => clock.block(5000) };
}

function combined(combine: typeof anyOf): Blockable {
  const { source, a, b } = combinedBy(combine);
  const lead = (): void => {
    a.grant(7n);
    b.grant(8n);
  };
  return { source, lead, block: () => [a, b].forEach(({ clock }) => clock.block(5000)) };
}

/** Checks what must hold for a term that has expired. */
function expectOver({ signal, fenced, ...term }: Pick<Term, 'signal' | 'fenced'>): void {
  expect([signal.aborted, fenced.aborted]).toEqual([true, true]);
  expect(term).toEqual({});
}

const kinds = [
  ['a plain source', plain],
  ['anyOf', () => combined(anyOf)],
  ['allOf', () => combined(allOf)],
] as const;

describe.each(kinds)('after a blocked event loop, %s', (_name, open) => {
  it('begins no work, and has ended the term, whichever method is called first', async () => {
    const ask: readonly ((source: LeadershipSource) => unknown)[] = [
      (source) => source.role(0).ifLeading(() => 'ran'),
      (source) => source.role(0).term(),
      (source) => source.role(0).isLeading() || undefined,
      (source) => source.role(0).leader(),
      (source) => source.held().get(0),
    ];
    for (const question of ask) {
      const { source, lead, block } = open();
      lead();
      const term = source.role(0).term();
      block();
      expect(question(source)).toBeUndefined();
      if (term) expectOver({ signal: term.signal, fenced: term.fenced });
      expect([term?.isCurrent(), standingOf(source)]).toEqual([false, 'fenced: expired']);
      await source.close();
    }
  });

  it('begins no work if an earlier subscriber blocked', async () => {
    const { source, lead, block } = open();
    const role = source.role(0);
    const ran: string[] = [];
    const reported: string[] = [];
    const terms: Term[] = [];
    role.leadership$.subscribe((leadership: Leadership) => {
      if (leadership.state !== 'leading') return;
      terms.push(leadership.term);
      block();
      void role.ifLeading(() => ran.push('ifLeading'));
      ran.push(standingOf(source));
    });
    void role.lead(() => ran.push('lead'));
    role.whileLeading(() => [ran.push('whileLeading')]).subscribe();
    role.leadership$.subscribe(({ state }) => reported.push(state));
    lead();
    await turn();
    expect(ran).not.toContain('lead');
    expect(ran).not.toContain('ifLeading');
    expect(ran).not.toContain('whileLeading');
    expect(ran[0]).toBe('fenced: expired');
    expect(reported).not.toContain('leading');
    for (const { signal, fenced } of terms) expectOver({ signal, fenced });
    expect([role.isLeading(), source.held().size, source.roster().size]).toEqual([false, 0, 0]);
    await source.close();
  });

  it('begins no work if a subscriber of events$ or held$ blocked', async () => {
    const { source, lead, block } = open();
    const role = source.role(0);
    const ran: string[] = [];
    source.events$.subscribe(({ kind }) => {
      if (kind !== 'acquired') return;
      block();
      void role.ifLeading(() => ran.push('from events$'));
    });
    source.held$.subscribe((held) => {
      if (held.size === 0) return;
      block();
      void role.ifLeading(() => ran.push('from held$'));
    });
    lead();
    void role.lead(() => ran.push('lead'));
    await turn();
    expect(ran).toEqual([]);
    await source.close();
  });

  it('begins no work if a listener of an ending term blocked', async () => {
    const { source, lead, block } = open();
    const role = source.role(0);
    lead();
    const term = role.term();
    const states: string[] = [];
    term?.signal.addEventListener('abort', () => {
      block();
      states.push(String(role.isLeading()), String(term.fenced.aborted), standingOf(source));
    });
    void role.ifLeading(() => new Promise(() => undefined));
    void role.resign();
    await turn();
    expect(states).toEqual(['false', 'true', 'fenced: expired']);
    await source.close();
  });
});
