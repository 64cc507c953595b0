import { expect, it } from 'vitest';
import { newMember } from '../../src/lease/new-member.ts';
import { ownershipText, partitionName } from '../../src/lease/records.ts';
import { step } from '../../src/lease/step.ts';
import type { Instant } from '../../src/time/instant.ts';

const moment = { now: 0 as Instant, wallMicros: 1_000_000 };

it('counts a token that leaves no room for later ones, and does not adopt it (T1)', () => {
  const member = newMember({
    group: 'g',
    member: 'a',
    incarnation: 'a',
    metadata: {},
    partitions: 1,
    thresholdMs: 1000,
    thresholdMsMax: 1000,
    driftRate: 0,
    campaign: true,
    jitter: 0,
    traits: { changesMax: 2 },
  });
  const { outputs } = step(member, { kind: 'wake' }, moment);
  expect(outputs).toMatchObject([{ kind: 'exchange', id: 1 }]);
  const last = 2n ** 63n - 1n;
  const hold = {
    kind: 'hold',
    life: 'l',
    version: 1,
    session: 'b/1',
    seen: 0,
    token: last,
  } as const;
  const rows = [[partitionName(0), ownershipText(0, hold, '1')]] as const;
  const answer = { outcomes: [], rows, position: 1, isWhole: true };
  const ignored = { kind: 'ignored', what: 'token-without-room' };
  expect(step(member, { kind: 'exchanged', id: 1, answer }, moment).outputs).toContainEqual(
    ignored,
  );
  const exceed = { kind: 'exceed', partition: 0, token: last } as const;
  expect(step(member, exceed, moment).outputs).toContainEqual(ignored);
  expect(member.partitions[0]?.seenToken).toBe(0n);
  step(member, { ...exceed, token: 7n }, moment);
  expect(member.partitions[0]?.seenToken).toBe(7n);
});
