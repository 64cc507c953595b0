import { LeadershipError } from '@leadership/core';
import { type Host, Troubles } from '@leadership/core/backend';
import { expect, test } from 'vitest';
import { electorateOf } from '../../src/protocol/electorate.ts';
import { Reach } from '../../src/source/reach.ts';
import { epochOf } from '../support/people.ts';

test('a member that has left the epoch is no longer a trouble', () => {
  const raised = new Set<string>();
  const trouble = (code: string): Disposable => {
    raised.add(code);
    return { [Symbol.dispose]: () => void raised.delete(code) };
  };
  const clock = { now: () => 0, wake: () => ({ [Symbol.dispose]: () => undefined }) };
  const host = { member: 'a', clock, trouble, measured: () => undefined, ready: () => undefined } as unknown as Host;
  let epoch = epochOf(['a', 'b', 'c']);
  const isReached = (name: string): boolean => name === 'b';
  const reach = new Reach({
    host,
    troubles: new Troubles(host),
    electorate: () => electorateOf(epoch),
    isReached,
    isAdmitted: () => true,
    thresholdMs: 1000,
    refused: () => undefined,
  });
  reach.failed('c', new LeadershipError('unauthorized', 'its key is another'));
  expect([...raised]).toEqual(['unauthorized']);
  epoch = epochOf(['a', 'b']);
  reach.entered();
  expect([...raised]).toEqual([]);
});
