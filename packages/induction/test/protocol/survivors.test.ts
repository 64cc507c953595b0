// One test for each mutant that no other test detected. The title names the mutation.

import { longAgo } from '@leadership/core/internal/engine';
import { describe, expect, it } from 'vitest';
import { beatOf, type Machine, machine } from '../support/induction-machine.ts';

function stampedLeader(): Machine {
  const one = machine({ beats: 'all' });
  one.assign(0, true, 1);
  const [first] = one.sent;
  if (first === undefined) throw new Error('it beats');
  one.hear(10, first, 50_000);
  expect(one.state.leaseState.kind).toBe('leading');
  return one;
}

describe('the tests detect an engine that', () => {
  it('keeps a proof from before a fence (H4, T3)', () => {
    const slept = stampedLeader();
    slept.feed(20, { kind: 'fenced', lapse: false });
    expect(slept.state.provedAt).toBe(longAgo);
    const expired = stampedLeader();
    expired.wake(1500);
    expect(expired.state).toMatchObject({ leaseState: { kind: 'follower' }, provedAt: longAgo });
  });

  it('counts the time before a successor’s beat towards the T before it leads alone (I5)', () => {
    const one = machine({ promise: 'exclusive' });
    one.assign(0, true, 1);
    const beatOn = (from: number, to: number): number | undefined => {
      for (let at = from; at < to; at += 100) {
        one.wake(at);
        one.echo(at + 5);
        if (one.state.leaseState.kind === 'leading') return at;
      }
      return undefined;
    };
    beatOn(10, 600);
    one.hear(620, beatOf('b1', { standing: 'assigned', generation: 2 }));
    one.hear(640, beatOf('b1', { standing: 'present', generation: 2, sequence: 2 }));
    const ledAt = beatOn(700, 3000);
    expect(ledAt).toBeGreaterThanOrEqual(1700);
  });

  it('compares stamps with the broker clock as it was before a sleep (H6, I2)', () => {
    const one = stampedLeader();
    expect(one.state.clock).toBeDefined();
    one.feed(20, { kind: 'fenced', lapse: false });
    expect(one.state.clock).toBeUndefined();
    // By the old relation of the clocks this beat was published just now, and would prove that the
    // member leads.
    one.hear(5000, beatOf('b1', { standing: 'present' }), 54_990);
    expect(one.state.provedAt).toBe(longAgo);
  });

  it('counts, in the T before it leads alone, the time before its proof ran out (I5)', () => {
    const one = machine({ promise: 'exclusive' });
    one.assign(0, true, 1);
    one.echo(10);
    expect(one.state.provenSince).toBe(10);
    one.wake(1200);
    expect(one.echo(1205)).not.toContain('leads until 2200');
    expect(one.state).toMatchObject({ provenSince: 1205, leaseState: { kind: 'follower' } });
  });

  it('is prolonged by the beats of others once another is in charge (I1)', () => {
    const one = stampedLeader();
    one.assign(20, false, 2);
    expect(one.state.leaseState).toMatchObject({ kind: 'lingering', frozen: true, until: 1000 });
    one.hear(100, beatOf('b1', { standing: 'present' }), 50_090);
    expect(one.state.leaseState).toMatchObject({ until: 1000 });
  });

  it('compares stamps with the clock of the broker that led the partition before (I2)', () => {
    const one = stampedLeader();
    one.feed(20, { kind: 'restarted' });
    expect(one.state.clock).toBeUndefined();
    one.hear(100, beatOf('b1', { standing: 'present' }), 50_090);
    expect(one.state.leaseState).toMatchObject({ kind: 'leading', until: 1000 });
  });

  it('begins by a beat of an earlier assignment (I1, I3)', () => {
    const one = machine();
    one.assign(0, true, 1);
    const [first] = one.sent;
    if (first === undefined) throw new Error('it beats');
    one.assign(10, false, 2);
    one.assign(20, true, 3);
    one.hear(30, first);
    expect(one.state.leaseState.kind).toBe('follower');
    one.echo(40);
    expect(one.state.leaseState).toMatchObject({ kind: 'leading', until: 1020 });
  });

  it('leads alone again, after its work took too long, without a new proof for T, or without leaving it alone (H3, I5)', () => {
    const one = machine({ promise: 'exclusive' });
    one.assign(0, true, 1);
    for (let at = 10; one.state.leaseState.kind !== 'leading'; at += 100) {
      one.wake(at);
      one.echo(at + 5);
    }
    const at = one.state.ownProvedAt + 50;
    expect(one.feed(at, { kind: 'fenced', lapse: true })).toContain('declines');
    expect(one.state).toMatchObject({
      leaseState: { kind: 'follower' },
      provenSince: undefined,
      provedAt: longAgo,
    });
  });

  it('takes a successor for silent before T has passed by any clock, or never (I1)', () => {
    const one = machine({ driftRate: 0.05 });
    one.assign(0, true, 1);
    one.hear(10, beatOf('b1', { standing: 'assigned', generation: 2 }));
    expect(one.wake(1010)).not.toContain('beats assigned');
    expect(one.wake(1059)).not.toContain('beats assigned');
    expect(one.wake(1060)).toContain('beats assigned');
  });

  it('ends a term because the work of an earlier one has drained (H2)', () => {
    const one = stampedLeader();
    expect(one.feed(20, { kind: 'drained' })).not.toContain('released');
    expect(one.state.leaseState.kind).toBe('leading');
  });
});
