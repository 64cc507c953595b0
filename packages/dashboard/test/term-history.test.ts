// The terms that the page shows, by the events of a source.
import type { LeadershipEvent } from '@leadership/core';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { TermHistory, termsMax } from '../src/term-history.ts';

type Given = Omit<LeadershipEvent, 'at' | 'member'> & { readonly at?: number };

/** A history over events that a test writes. Before, `a` leads partition 0. */
function watched(): { history: TermHistory; emit: (...events: readonly Given[]) => void } {
  const events$ = new Subject<LeadershipEvent>();
  const leader = { member: 'a', self: false, token: 1n, metadata: {} };
  const history = new TermHistory({ events$, roster: () => new Map([[0, leader]]) });
  let at = Date.now();
  return {
    history,
    emit(...events) {
      for (const event of events) events$.next({ at: ++at, member: 'here', ...event });
    },
  };
}

const leads = (leader: string | undefined, token: bigint, more: Partial<Given> = {}): Given => ({
  kind: 'leader',
  partition: 0,
  ...(leader !== undefined && { leader, token }),
  ...more,
});

const endsOf = ({ terms }: TermHistory): readonly string[] =>
  terms.map(({ member, token, ended = 'runs', detail }) =>
    [member, token, ended, detail ?? ''].join(' ').trim(),
  );

describe('the history of terms', () => {
  it('begins with the terms that run, and knows since when it watches', () => {
    const { history } = watched();
    expect(history.sinceMs).toBeLessThanOrEqual(Date.now());
    expect(history.terms).toEqual([
      { partition: 0, member: 'a', token: '1', fromMs: history.sinceMs, isEarlier: true },
    ]);
  });

  it('has how each term ended, and what is known later', () => {
    const { history, emit } = watched();
    emit(leads(undefined, 0n, { ended: 'unknown' }), leads('b', 2n, { ended: 'proved-dead' }));
    emit(leads('c', 3n, { ended: 'handed-over' }), leads('b', 4n));
    expect(endsOf(history)).toEqual([
      'a 1 proved-dead',
      'b 2 handed-over',
      'c 3 superseded',
      'b 4 runs',
    ]);
  });

  it('knows more of the terms of this process, which a successor may overlap', () => {
    const { history, emit } = watched();
    const own = { partition: 0, token: 2n };
    emit({ kind: 'acquired', ...own }, { kind: 'fenced', ...own, reason: 'drain-timed-out' });
    emit({ kind: 'acquired', partition: 0, token: 3n }, leads('b', 4n, { ended: 'superseded' }));
    emit({ kind: 'released', partition: 0, token: 3n });
    expect(endsOf(history)).toEqual([
      'a 1 superseded',
      'here 2 lapsed lost here: drain-timed-out',
      'here 3 handed-over',
      'b 4 runs',
    ]);
  });

  it('goes on with a term that was not over', () => {
    const { history, emit } = watched();
    emit(leads(undefined, 0n, { ended: 'lapsed' }), leads('a', 1n));
    expect(endsOf(history)).toEqual(['a 1 runs']);
  });

  it('forgets the oldest ends, and no term that runs', () => {
    const { history, emit } = watched();
    for (let token = 1n; token <= 2n * BigInt(termsMax); token += 1n)
      emit({ ...leads('b', token), partition: 1 });
    expect(history.terms).toHaveLength(termsMax + 2);
    expect(endsOf(history)[0]).toBe('a 1 runs');
  });

  it('ends all terms as unknown once the source is refused', () => {
    const { history, emit } = watched();
    emit({ kind: 'refused' });
    expect(endsOf(history)).toEqual(['a 1 unknown']);
  });
});
