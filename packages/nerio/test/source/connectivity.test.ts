import { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import { MembershipShell } from '@leadership/core/internal/engine';
import { expect, test } from 'vitest';
import { electorateOf } from '../../src/protocol/electorate.ts';
import { Connectivity } from '../../src/source/connectivity.ts';
import { epochOf } from '../support/test-members.ts';

/**
 * A tracker of member a, the troubles that it raises, and the epoch and the members that the test
 * changes.
 */
function reachOfA() {
  const raised = new Set<string>();
  const trouble = (code: string): Disposable => {
    raised.add(code);
    return { [Symbol.dispose]: () => void raised.delete(code) };
  };
  let now = 0;
  let wakeUp: { readonly at: number; readonly due: () => void } | undefined;
  const clock = {
    now: () => now,
    wake(at: number, due: () => void) {
      wakeUp = { at, due };
      return { [Symbol.dispose]: () => undefined };
    },
  };
  const host = {
    member: 'a',
    clock,
    trouble,
    measured: () => undefined,
    ready: () => undefined,
  } as unknown as Host;
  const pings: (readonly string[])[] = [];
  const world = { epoch: epochOf(['a', 'b', 'c']), reached: ['b'] };
  const reach = new Connectivity({
    shell: new MembershipShell({ host, thresholdMs: 1000, refused: () => undefined }),
    electorate: () => electorateOf(world.epoch),
    isReached: (name) => world.reached.includes(name),
    isAdmitted: () => true,
    ping: (members) => pings.push(members),
    thresholdMs: 1000,
  });
  const wake = (): void => {
    const due = wakeUp;
    wakeUp = undefined;
    now = due?.at ?? now;
    due?.due();
  };
  return { reach, raised, world, pings, wake };
}

test('a candidate that reaches a quorum and receives no answers reports no-quorum until a quorum sends messages', () => {
  const { reach, raised, world } = reachOfA();
  reach.electionFailed();
  expect([...raised]).toEqual(['no-quorum']);
  reach.received('b');
  expect([...raised]).toEqual([]);
  // Then no quorum is in reach, which `look` reports with the names of the missing members.
  world.reached = [];
  reach.electionFailed();
  expect([...raised]).toEqual([]);
});

test('a candidate without answers pings the voters until a quorum answers, even if it no longer campaigns', () => {
  const { reach, raised, pings, wake } = reachOfA();
  reach.electionFailed();
  wake();
  wake();
  expect(pings).toEqual([
    ['b', 'c'],
    ['b', 'c'],
  ]);
  reach.received('c');
  expect([...raised]).toEqual([]);
  wake();
  wake();
  expect(pings.length).toBe(2);
});

test('a member that has left the epoch is no longer a trouble', () => {
  const { reach, raised, world } = reachOfA();
  reach.failed('c', new LeadershipError('unauthorized', 'its key is another'));
  expect([...raised]).toEqual(['unauthorized']);
  world.epoch = epochOf(['a', 'b']);
  reach.entered();
  expect([...raised]).toEqual([]);
});
