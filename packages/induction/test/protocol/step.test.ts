import { describe, expect, it } from 'vitest';
import { beatOf, type Machine, machine } from '../support/induction-machine.ts';

/** Returns a machine that leads since 10, proved at 0, by decision 1. */
function leader(change: Parameters<typeof machine>[0] = {}): Machine {
  const one = machine(change);
  one.assign(0, true, 1);
  one.echo(10);
  return one;
}

const kinds = (words: readonly string[]): string[] =>
  words.filter((word) => !word.startsWith('beats'));

describe('a term', () => {
  it('begins when an own beat of this assignment returns, and lasts for T from before that was sent (I1, I2)', () => {
    const one = machine();
    expect(one.assign(0, true, 1)).toEqual(['beats assigned']);
    expect(one.echo(300)).toEqual(['leads until 1000', 'beats leading', 'leader a1']);
    expect(one.wake(999)).not.toContain('lost expired');
    expect(one.wake(1000)).toEqual(expect.arrayContaining(['lost expired', 'leader none']));
  });

  it('continues with every own beat, counted from before it was sent, in whatever order the beats return (I1)', () => {
    const one = leader();
    one.wake(110);
    expect(one.sent.map(({ standing }) => standing)).toEqual(['assigned', 'leading', 'leading']);
    const [, second, third] = one.sent;
    if (second === undefined || third === undefined) throw new Error('there are three');
    expect(one.hear(130, third)).toEqual(['leads until 1110']);
    expect(one.hear(140, second)).toEqual([]);
    expect(one.hear(150, third)).toEqual([]);
  });

  it('does not begin by earlier beats or by those of other members (I3)', () => {
    const one = machine({ beats: 'all' });
    one.wake(0);
    one.assign(20, true, 1);
    const [present] = one.sent;
    if (present === undefined) throw new Error('everybody beats');
    expect(present.standing).toBe('present');
    expect(kinds(one.hear(30, present, 5000))).toEqual([]);
    expect(kinds(one.hear(40, beatOf('b1', { standing: 'present' }), 5010))).toEqual([]);
    expect(
      kinds(one.hear(50, beatOf('a1', { standing: 'assigned', id: 'never sent' }), 5020)),
    ).toEqual([]);
    expect(kinds(one.echo(60))).toContain('leads until 1020');
  });

  it('continues with beats of other members if all count, mapped to the own clock (I2, I3)', () => {
    const one = machine({ beats: 'all' });
    one.assign(0, true, 1);
    const [first] = one.sent;
    if (first === undefined) throw new Error('it beats');
    one.hear(10, first, 70_005);
    // Published 400 after the own beat, which was sent at 0; a stamp may be up to a millisecond too
    // low.
    expect(kinds(one.hear(700, beatOf('b1', { standing: 'present' }), 70_405))).toEqual([
      'leads until 1399',
    ]);
    expect(one.state.clockErrorMs).toBe(12);
  });

  it('does not begin before the number of the decision is known, if decisions are numbered', () => {
    const one = machine();
    expect(one.assign(0, true, undefined)).toEqual([]);
    expect(one.assign(50, true, 3)).toEqual(['beats assigned']);
    expect(kinds(one.echo(60))).toContain('leads until 1050');
    // Later decisions may omit the number for a while.
    expect(kinds(one.assign(70, true, undefined))).toEqual([]);
    expect(one.state.generation).toBe(3);
  });

  it('ends if the clock stopped during sleep, and so does everything measured by that clock (H6)', () => {
    const one = leader();
    expect(kinds(one.feed(20, { kind: 'fenced', lapse: false }))).toEqual(['leader none']);
    expect(one.state).toMatchObject({ clock: undefined, provenSince: undefined });
    // The beat in flight was sent before the sleep, so it proves nothing.
    expect(kinds(one.echo(30))).toEqual([]);
  });
});

describe('the end of a term', () => {
  it('comes once the successor leads, not when it is assigned (I1)', () => {
    const one = leader();
    expect(one.assign(20, false, 2)).toEqual([]);
    expect(one.hear(40, beatOf('b1', { standing: 'assigned', generation: 2 }))).toEqual([]);
    expect(one.wake(110)).toEqual(['beats lingering']);
    expect(one.hear(120, beatOf('b1', { sequence: 2, generation: 2 }))).toEqual([
      'drain',
      'leader b1',
    ]);
    expect(one.feed(130, { kind: 'drained' })).toEqual(['released']);
  });

  it('comes T after the last proof if no successor ever leads: beats no longer extend a lost partition (I1)', () => {
    const one = leader();
    one.assign(20, false, 2);
    expect(kinds(one.echo(30))).toEqual([]);
    expect(kinds(one.wake(1000))).toEqual(['lost expired', 'leader none']);
  });

  it("follows from a successor's beat if the coordinator cannot reach the member (I1)", () => {
    const one = leader();
    expect(kinds(one.hear(20, beatOf('b1', { generation: 1, standing: 'assigned' })))).toEqual([]);
    expect(
      kinds(one.hear(30, beatOf('b1', { generation: undefined, sequence: 2 } as never))),
    ).toEqual([]);
    expect(kinds(one.hear(40, beatOf('c1', { generation: 2 })))).toEqual(['drain', 'leader c1']);
  });

  it('is cancelled if the partition is assigned again before another member leads', () => {
    const one = leader();
    one.assign(20, false, 2);
    expect(one.state.leaseState).toMatchObject({ kind: 'lingering', frozen: true });
    one.assign(30, true, 3);
    expect(one.state.leaseState).toMatchObject({ kind: 'leading' });
    expect(kinds(one.echo(40))).toEqual(['leads until 1030']);
  });

  it('needs no successor if the member is alone, and sends a last beat', () => {
    const one = machine();
    one.assign(0, true, 1, true);
    one.echo(10);
    expect(one.feed(20, { kind: 'campaign', on: false })).toEqual(['drain']);
    expect(one.feed(30, { kind: 'drained' })).toEqual(['released', 'beats present', 'leader none']);
  });

  it('after a resignation waits for a successor for at most T, and beats extend the lease until then (H2)', () => {
    const one = leader();
    expect(one.feed(50, { kind: 'resign', atLeastMs: 0 })).toEqual(['declines']);
    one.wake(110);
    expect(kinds(one.echo(120))).toEqual(['leads until 1110']);
    expect(kinds(one.wake(1050))).toEqual(['drain']);
    one.wake(1060);
    expect(kinds(one.echo(1070))).toEqual(['leads until 2050']);
    expect(kinds(one.feed(1500, { kind: 'drained' }))).toEqual(['released', 'leader none']);
    // The member abstains for T without a leader, then leads again, because it is still assigned.
    expect(one.wake(2499)).toEqual([]);
    expect(one.wake(2500)).toEqual(['declines no more', 'beats assigned']);
  });

  it('after a resignation includes the number of the decision in every beat, so that a later member recognises an earlier one', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 0 });
    one.assign(60, false, 2);
    one.wake(110);
    const last = one.sent.at(-1);
    expect(last).toMatchObject({ standing: 'leading', generation: 1 });
    const next = machine();
    next.assign(0, true, 2);
    next.echo(10);
    next.feed(20, { kind: 'campaign', on: false });
    // A late beat of the predecessor is not a reason to stop: it has stopped by now, and the
    // partition would have no leader.
    const late = {
      standing: 'leading',
      ...(last?.generation !== undefined && { generation: last.generation }),
    } as const;
    expect(next.hear(30, beatOf('b1', late))).not.toContain('drain');
    expect(next.state.leaseState).toMatchObject({ kind: 'lingering' });
  });

  it('after a resignation starts an abstention of T without a leader, 2T at most (L9)', () => {
    for (const [lastReceived, contendsAt] of [
      [400, 1400],
      [1900, 2200],
    ] as const) {
      const one = leader();
      one.feed(50, { kind: 'resign', atLeastMs: 0 });
      one.assign(60, false, 2);
      one.hear(100, beatOf('b1', { generation: 2 }));
      one.feed(200, { kind: 'drained' });
      for (let at = 300, sequence = 2; at <= lastReceived; at += 100, sequence += 1)
        one.hear(at, beatOf('b1', { generation: 2, sequence }));
      expect(kinds(one.wake(contendsAt - 1))).not.toContain('declines no more');
      expect(kinds(one.wake(contendsAt))).toContain('declines no more');
    }
  });

  it('by a drain time-out is followed by another term at once if the member is in charge again, so that the partition has a leader (I1)', () => {
    const one = leader();
    one.hear(20, beatOf('b1', { generation: 2 }));
    expect(one.state.leaseState).toMatchObject({ kind: 'revoking', frozen: true });
    one.assign(30, true, 3);
    one.wake(140);
    expect(kinds(one.echo(150))).toEqual(['leads until 1140']);
    expect(kinds(one.feed(160, { kind: 'fenced', lapse: true }))).toEqual([
      'leads until 1140',
      'leader a1',
    ]);
  });

  it('after a resignation does not leave a partition without a leader: a member that is assigned it nevertheless takes it', () => {
    for (const [atLeastMs, takes] of [
      [0, true],
      [5000, false],
    ] as const) {
      const one = leader();
      one.feed(50, { kind: 'resign', atLeastMs });
      one.assign(60, false, 2);
      one.hear(100, beatOf('b1', { generation: 2 }));
      one.feed(200, { kind: 'drained' });
      const words = one.assign(250, true, 3);
      expect(words.includes('declines no more')).toBe(takes);
      expect(words.includes('beats assigned')).toBe(takes);
    }
  });

  it('after a resignation ends although the partition is assigned to the member again, once a beat of the new assignment shows that another term can follow at once (H2, I1)', () => {
    for (const frozen of [false, true]) {
      const one = leader();
      one.feed(50, { kind: 'resign', atLeastMs: 0 });
      one.assign(60, false, 2);
      if (frozen) one.hear(70, beatOf('b1', { standing: 'assigned', generation: 2 }));
      expect(one.state.leaseState).toMatchObject({ kind: 'lingering', frozen });
      expect(one.assign(150, true, 3)).toEqual(['declines no more', 'beats leading']);
      expect(one.state.leaseState).toMatchObject({ kind: 'lingering', frozen: false });
      expect(kinds(one.echo(160))).toEqual(['leads until 1150', 'drain']);
      const { seenToken } = one.state;
      expect(kinds(one.feed(170, { kind: 'drained' }))).toEqual([
        'released',
        'leads until 1150',
        'leader a1',
      ]);
      expect(one.state.leaseState).toMatchObject({ kind: 'leading' });
      expect(one.state.seenToken).toBeGreaterThan(seenToken);
    }
  });

  it('after a resignation ends within T although the partition is assigned to the member again and then to another that never leads (H2)', () => {
    const one = leader();
    one.hear(20, beatOf('b1', { standing: 'assigned', generation: 2 }));
    one.feed(50, { kind: 'resign', atLeastMs: 0 });
    one.assign(60, false, 2);
    one.assign(100, true, 3);
    one.assign(110, false, 4);
    for (let at = 210; at < 1100; at += 100) {
      one.wake(at);
      expect(kinds(one.echo(at + 10))).toEqual([`leads until ${at + 1000}`]);
    }
    expect(kinds(one.wake(1100))).toEqual(['drain']);
  });

  it('after a resignation does not end by the patience of the member while the partition is assigned to it again: it waits for a beat (I1)', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 0 });
    one.assign(60, false, 2);
    one.wake(200);
    one.echo(210);
    one.assign(1000, true, 3);
    expect(kinds(one.wake(1100))).toEqual([]);
    expect(kinds(one.echo(1110))).toEqual(['leads until 2100', 'drain']);
  });

  it('after another resignation in the same term, the member declines the partition again (L9)', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 0 });
    one.assign(60, false, 2);
    one.assign(150, true, 3);
    expect(kinds(one.feed(155, { kind: 'resign', atLeastMs: 0 }))).toEqual(['declines']);
    one.assign(160, false, 4);
    one.hear(170, beatOf('b1', { generation: 4 }));
    expect(one.state.leaseState).toMatchObject({ kind: 'revoking' });
  });

  it('after a resignation ends once the minimum of the abstention is over, if the partition is assigned to the member again before (L9)', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 300 });
    one.assign(60, false, 2);
    one.assign(150, true, 3);
    expect(kinds(one.echo(160))).toEqual(['leads until 1150']);
    expect(kinds(one.wake(349))).toEqual([]);
    expect(kinds(one.wake(350))).toEqual(['drain', 'declines no more']);
    expect(one.feed(360, { kind: 'drained' })).toEqual([
      'released',
      expect.stringContaining('leads until'),
      'beats leading',
      'leader a1',
    ]);
  });

  it('after a resignation ends although the member campaigns again (H2)', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 5000 });
    expect(kinds(one.feed(60, { kind: 'campaign', on: true }))).toEqual([
      'drain',
      'declines no more',
    ]);
    expect(kinds(one.feed(70, { kind: 'drained' }))).toEqual([
      'released',
      'leads until 1000',
      'leader a1',
    ]);
  });

  it('after a resignation is not followed by another before the minimum of the abstention, even if the partition is assigned to the member again (L9)', () => {
    const one = leader();
    one.feed(50, { kind: 'resign', atLeastMs: 5000 });
    one.assign(60, false, 2);
    one.assign(150, true, 3);
    expect(kinds(one.echo(160))).toEqual(['leads until 1150']);
    expect(kinds(one.wake(1050))).toEqual(['drain']);
    expect(kinds(one.feed(1060, { kind: 'drained' }))).toEqual(['released', 'leader none']);
    expect(kinds(one.wake(5049))).toEqual([]);
    expect(kinds(one.wake(5050))).toContain('declines no more');
  });
});

describe('exclusive induction', () => {
  const alone = { promise: 'exclusive' } as const;

  it('leads T after its first own beat came back, and not earlier (I5)', () => {
    const one = machine({ ...alone, driftRate: 0.01 });
    one.assign(0, true, 1);
    one.echo(10);
    for (let at = 100; at < 1020; at += 100) {
      one.wake(at);
      expect(kinds(one.echo(at + 5))).toEqual([]);
    }
    expect(kinds(one.wake(1020))).toContain('leads until 1990');
  });

  it('starts over after a missed decision or a lost position in the log (I5)', () => {
    for (const upset of [
      (one: Machine) => one.assign(2000, true, 4),
      (one: Machine) => one.feed(2000, { kind: 'restarted' }),
    ]) {
      const one = leading();
      expect(kinds(upset(one))).toEqual(['drain']);
      one.echo(2010);
      expect(kinds(one.feed(2020, { kind: 'drained' }))).toEqual(['released', 'leader none']);
      expect(one.wake(2200)).toEqual(['beats assigned']);
      expect(kinds(one.echo(2210))).toEqual([]);
    }
  });

  it('drains at once, and reports a violation (I5)', () => {
    const one = leading();
    expect(kinds(one.hear(2000, beatOf('b1', { generation: 1 })))).toEqual(['broken I5']);
    expect(kinds(one.assign(2010, false, 2))).toContain('drain');
  });

  function leading(): Machine {
    const one = machine(alone);
    one.assign(0, true, 1);
    for (let at = 10; at < 2000; at += 100) {
      one.wake(at);
      one.echo(at + 5);
    }
    expect(one.state.leaseState.kind).toBe('leading');
    return one;
  }
});

describe('a beat that was read', () => {
  it('of another group is only counted (I6)', () => {
    expect(leader().hear(20, beatOf('b1', { group: 'h', generation: 9 }))).toEqual([
      'ignores foreign-group',
    ]);
  });

  it('reports the sender as the leader, for at most as long as its lease lasts', () => {
    const one = machine();
    expect(one.hear(0, beatOf('b1', { metadata: { url: 'u' } }))).toEqual(['leader b1']);
    expect(one.state.lastLeader).toEqual({
      incarnation: 'b1',
      member: 'b',
      token: 7n,
      metadata: { url: 'u' },
    });
    expect(one.hear(500, beatOf('b1', { sequence: 2 }))).toEqual([]);
    expect(one.hear(510, beatOf('c1', { standing: 'assigned', generation: 2 }))).toEqual([]);
    expect(one.wake(1499)).toEqual([]);
    expect(one.wake(1500)).toEqual(['leader none']);
  });

  it('of two leaders reports the one in charge or the later one; a last beat counts at once', () => {
    const one = machine();
    one.hear(0, beatOf('b1', { generation: 2 }));
    expect(one.hear(10, beatOf('c1', { generation: 1 }))).toEqual([]);
    expect(one.hear(20, beatOf('d1', { generation: 3, standing: 'lingering' }))).toEqual([]);
    expect(one.hear(30, beatOf('d1', { generation: 3, sequence: 2 }))).toEqual(['leader d1']);
    expect(one.hear(40, beatOf('d1', { standing: 'present', sequence: 3 }))).toEqual([
      'leader none',
    ]);
    expect(one.hear(50, beatOf('d1', { generation: 3, sequence: 2 }))).toEqual([]);
  });

  it('of an earlier member does not end the term, and a late beat undoes nothing', () => {
    const one = leader();
    one.hear(20, beatOf('b1', { generation: 2, sequence: 5, standing: 'assigned' }));
    expect(one.state.leaseState.kind).toBe('lingering');
    one.hear(30, beatOf('b1', { generation: 2, sequence: 4, standing: 'present' }));
    expect(one.state.leaseState.kind).toBe('lingering');
    one.hear(40, beatOf('b1', { sequence: 6, standing: 'present' }));
    expect(one.state.leaseState.kind).toBe('leading');
  });

  it('may not have been written: then the next one is sent sooner', () => {
    const one = leader();
    const [, latest] = one.sent;
    one.feed(20, { kind: 'unsent', id: latest?.id ?? '' });
    expect(one.wake(104)).toEqual(['beats leading']);
    one.feed(105, { kind: 'unsent', id: 'unknown' });
    expect(one.wake(190)).toEqual([]);
  });

  it('shows that a clock stepped, which discards the known relation (I2)', () => {
    const one = machine({ beats: 'all' });
    one.assign(0, true, 1);
    const [first] = one.sent;
    if (first === undefined) throw new Error('it beats');
    one.hear(10, first, 70_000);
    expect(kinds(one.hear(20, beatOf('b1', { standing: 'present' }), 71_000))).toEqual([
      'broken I2',
    ]);
    expect(one.state.clock).toBeUndefined();
  });
});
