import { describe, expect, it } from 'vitest';
import { type Machine, machine } from '../support/induction-machine.ts';

/** A member whose first beat came back at 10, and which is woken every 50 until `at`. */
function wokenUntil(at: number, one: Machine = machine()): readonly string[] {
  const said = [...one.assign(0, true, 1), ...one.echo(10)];
  for (let now = 50; now <= at; now += 50) said.push(...one.wake(now));
  return said;
}

describe('a member whose beats do not come back (I9)', () => {
  it('says so after T/2, while it still leads', () => {
    const one = machine();
    expect(wokenUntil(500, one)).not.toContain('is unreturned');
    expect(wokenUntil(650)).toContain('is unreturned');
    expect(one.state.leaseState.kind).toBe('leading');
  });

  it('does not say so to a coordinator that would pass the partition round', () => {
    expect(wokenUntil(900, machine({ settles: false }))).not.toContain('is unreturned');
  });

  it('does not say so because it was paused', () => {
    const one = machine();
    expect(wokenUntil(150, one)).not.toContain('is unreturned');
    const missing = one.sent.slice(-2);
    expect(one.wake(900)).not.toContain('is unreturned');
    for (const beat of missing) one.hear(905, beat);
    for (let now = 950; now < 1350; now += 50) expect(one.wake(now)).not.toContain('is unreturned');
  });

  it('tries again every T without the partition, and not sooner although a beat was refused', () => {
    const one = machine();
    wokenUntil(700, one);
    one.assign(710, false);
    const before = one.sent.length;
    for (let now = 1500; now < 5500; now += 50) {
      one.wake(now);
      one.feed(now + 1, { kind: 'unsent', id: one.sent.at(-1)?.id ?? '' });
    }
    const tries = one.sent.slice(before);
    expect(tries.map(({ standing }) => standing)).toEqual(Array(tries.length).fill('present'));
    expect(tries.length).toBeGreaterThanOrEqual(4);
    expect(tries.length).toBeLessThanOrEqual(5);
  });

  it('ends once a beat comes back within T/3, and then no longer sends without the partition', () => {
    const one = machine();
    wokenUntil(700, one);
    one.assign(710, false);
    one.wake(2000);
    expect(one.echo(2400)).not.toContain('is unreturned no longer');
    one.wake(3100);
    expect(one.echo(3200)).toContain('is unreturned no longer');
    expect(one.wake(9000)).toEqual([]);
  });

  it('ends when the member stops campaigning', () => {
    const one = machine();
    wokenUntil(700, one);
    expect(one.feed(710, { kind: 'campaign', on: false })).toContain('is unreturned no longer');
  });
});
