import { describe, expect, it } from 'vitest';
import { Machines } from '../support/machines.ts';
import { epochOf } from '../support/test-members.ts';

const epoch = epochOf(['a', 'b', 'c']);
const leaseMs = 1000;

describe('partitions', () => {
  it('are shared with a member that joins within a few leases, however many there are (L9)', () => {
    const machines = new Machines(epoch, ['a', 'b'], 120);
    machines.pass(5 * leaseMs);
    expect(machines.shares()).toEqual({ a: 60, b: 60 });
    const before = machines.terms;
    machines.restart('c');
    // The member is silent for two leases and 5 % (N4), and then sends its requests.
    machines.pass(4 * leaseMs);
    expect(machines.shares()).toEqual({ a: 40, b: 40, c: 40 });
    expect(machines.terms - before).toBe(40);
  });

  it.each([
    ['b', 'a', 'c'],
    ['c', 'b', 'a'],
    ['a', 'c', 'b'],
  ])(
    'of a group that starts with %s, then %s and %s, are led by their first members at once, and nothing is handed over (N9)',
    (...order) => {
      const machines = new Machines(epoch, [], 30);
      for (const name of order) {
        machines.restart(name);
        machines.pass(leaseMs / 4);
      }
      machines.pass(12 * leaseMs);
      expect(machines.shares()).toEqual({ a: 10, b: 10, c: 10 });
      expect(machines.terms).toBe(30);
    },
  );

  it('of a leader that resigns soon after the start pass to the next candidate at once, also if candidates do not vote (N6)', () => {
    const names = ['a', 'b', 'c'].map((member) => ({ member, votes: false }));
    const voters = ['v1', 'v2', 'v3'].map((member) => ({ member, stands: false }));
    const machines = new Machines({ ...epoch, members: [...names, ...voters] }, ['v1', 'v2', 'v3']);
    for (const { member } of names) machines.restart(member);
    machines.pass(leaseMs / 2);
    expect(machines.leader()?.member).toBe('a');
    machines.resign('a');
    // The announcement, the request, and the release with its answer take four messages of a
    // millisecond each.
    machines.pass(leaseMs / 20);
    expect(machines.leader()?.member).toBe('b');
  });
});
