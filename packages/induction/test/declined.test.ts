import { expect, it } from 'vitest';
import { declinedPartitions } from '../src/declined.ts';

/** The declined partitions of a member of a group with three, after each change. */
function declinedBy(act: (declined: ReturnType<typeof declinedPartitions>) => void): string[] {
  const changes: string[] = [];
  const changed = (partitions: ReadonlySet<number>, isBack: boolean): void =>
    void changes.push([...partitions].sort().join() + (isBack ? ' back' : ''));
  act(declinedPartitions(3, changed));
  return changes;
}

it('declines a partition on which no beat comes back, and only that, if others do elsewhere (I9)', () => {
  const changes = declinedBy((declined) => {
    declined.assigned(new Set([0, 1]));
    declined.unreturned(1, true);
    expect(declined.isUnreturned).toBe(true);
    declined.givenUp(2, true);
    declined.unreturned(1, false);
    expect(declined.isUnreturned).toBe(false);
  });
  expect(changes).toEqual(['1', '1,2', '2 back']);
});

it('declines all partitions while no beat comes back anywhere (I9)', () => {
  const changes = declinedBy((declined) => {
    declined.assigned(new Set([0, 1]));
    declined.unreturned(1, true);
    declined.unreturned(0, true);
    // The group has no other member.
    declined.assigned(new Set([2]));
    declined.unreturned(0, false);
    declined.unreturned(1, false);
  });
  expect(changes).toEqual(['1', '0,1,2', '1 back', ' back']);
});

it('declines all partitions once it keeps only those on which no beat comes back (I9)', () => {
  const changes = declinedBy((declined) => {
    declined.assigned(new Set([0, 1]));
    declined.unreturned(1, true);
    declined.assigned(new Set([1]));
  });
  expect(changes).toEqual(['1', '0,1,2']);
});
