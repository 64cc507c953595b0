// One voter, v, that decides alone between two candidates, p and q.
import type { Epoch, NerioInput } from '../../src/protocol.ts';
import { epochOf } from './test-members.ts';

/** δ. Milliseconds. */
export const leaseMs = 1000;

export const oneVoter: Epoch = {
  ...epochOf(['v', 'p', 'q']),
  members: [{ member: 'v' }, { member: 'p', votes: false }, { member: 'q', votes: false }],
};

/** A request of that candidate, whose clock showed `start` when it was sent. */
export function asked(name: string, start: number): NerioInput {
  const begun = { incarnation: name, at: start, count: 0 };
  const from = { member: name, incarnation: name };
  const item = {
    kind: 'grant-request',
    partition: 0,
    start: begun,
    leaseMs,
    token: 1n,
    standing: 'claiming',
    successor: -1,
  } as const;
  return { kind: 'received', from, epoch: 0, item };
}
