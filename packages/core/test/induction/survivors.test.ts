// One test for each mutant that no other test detected. The title names the mutation.
import { describe, expect, it } from 'vitest';
import { longAgo } from '../../src/time/instant.ts';
import { beatOf, type Machine, machine } from '../support/inductee.ts';

function stampedLeader(): Machine {
  const one = machine({ beats: 'all' });
  one.assign(0, true, 1);
  const [first] = one.sent;
  if (first === undefined) throw new Error('it beats');
  one.hear(10, first, 50_000);
  expect(one.state.tenure.kind).toBe('leading');
  return one;
}

describe('the tests detect an engine that', () => {
  it('keeps a proof from before a fence (H4, T3)', () => {
    const slept = stampedLeader();
    slept.feed(20, { kind: 'fenced', slept: true });
    expect(slept.state.provedAt).toBe(longAgo);
    const expired = stampedLeader();
    expired.wake(1500);
    expect(expired.state).toMatchObject({ tenure: { kind: 'follower' }, provedAt: longAgo });
  });

  it('counts the time before a successor’s beat towards the T before it leads alone (I5)', () => {
    const one = machine({ promise: 'exclusive' });
    one.assign(0, true, 1);
    const beatOn = (from: number, to: number): number | undefined => {
      for (let at = from; at < to; at += 100) {
        one.wake(at);
        one.echo(at + 5);
        if (one.state.tenure.kind === 'leading') return at;
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
    one.feed(20, { kind: 'fenced', slept: true });
    expect(one.state.clock).toBeUndefined();
    // By the old relation of the clocks this beat was published just now, and would prove that the
    // member leads.
    one.hear(5000, beatOf('b1', { standing: 'present' }), 54_990);
    expect(one.state.provedAt).toBe(longAgo);
  });
});
