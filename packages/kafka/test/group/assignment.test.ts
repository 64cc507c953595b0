import { monotonicClock } from '@leadership/core/adapter';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { groupAssignment } from '../../src/group/assignment.ts';
import type { GroupSessionOptions } from '../../src/group/group-client.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { MemberContext } from '../../src/member-context.ts';

const thresholdMs = 50;

/** A member in a group that the test plays. The later sessions are those of temporary members. */
async function inGroup() {
  const host = recordingHost('m');
  const context: MemberContext = {
    topic: 't',
    group: 'g',
    partitions: 2,
    thresholdMs,
    sessionTimeoutMs: 6000,
    topicCheck: 'off',
    clock: monotonicClock,
    host,
    client: kafkajsClient({ brokers: ['nowhere:1'] }),
  };
  const sessions: GroupSessionOptions[] = [];
  const assignment = groupAssignment(context, Promise.resolve(), async (session, signal) => {
    sessions.push(session);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  });
  assignment.setCandidate(true);
  await eventually('it has joined', () => sessions.length === 1);
  return {
    assignment,
    temporaryMembers: (): number => sessions.length - 1,
    plan(partitions: readonly number[], others: readonly string[]): void {
      const members = new Map([host.incarnation, ...others].map((member) => [member, 1]));
      sessions[0]?.planned(
        { members, share: { session: 1, plan: 1, partitions }, strangers: [] },
        1,
      );
    },
  };
}

it('asks for another rebalance again and again while it holds a partition that it declines, because another member may have become willing', async () => {
  const { assignment, temporaryMembers, plan } = await inGroup();
  plan([0, 1], ['other']);
  assignment.declined(new Set([0]));
  expect(temporaryMembers()).toBe(1);
  plan([0, 1], ['other']);
  await eventually('it has asked twice more', () => temporaryMembers() >= 3);
  plan([1], ['other']);
  const before = temporaryMembers();
  await new Promise((resolve) => setTimeout(resolve, 10 * thresholdMs));
  expect(temporaryMembers()).toBe(before);
  await assignment.close();
});

it('asks for no other rebalance while it is alone, or holds nothing that it declines', async () => {
  const { assignment, temporaryMembers, plan } = await inGroup();
  plan([1], ['other']);
  assignment.declined(new Set([0]));
  await new Promise((resolve) => setTimeout(resolve, 3 * thresholdMs));
  plan([0, 1], []);
  await new Promise((resolve) => setTimeout(resolve, 3 * thresholdMs));
  expect(temporaryMembers()).toBe(0);
  await assignment.close();
});

it('asks for one rebalance for partitions that it declines one after the other', async () => {
  const { assignment, temporaryMembers, plan } = await inGroup();
  plan([0, 1], ['other']);
  assignment.declined(new Set([0]));
  assignment.declined(new Set([0, 1]));
  expect(temporaryMembers()).toBe(1);
  await assignment.close();
});

it('asks for its share when its beats come back, and only if it has less than that (I9)', async () => {
  const { assignment, temporaryMembers, plan } = await inGroup();
  plan([], ['other']);
  assignment.declined(new Set([0, 1]));
  assignment.declined(new Set([]));
  expect(temporaryMembers()).toBe(0);
  assignment.declined(new Set([0, 1]));
  assignment.declined(new Set([]), true);
  expect(temporaryMembers()).toBe(1);
  await assignment.close();
});

it('asks for no rebalance when its beats come back and it has kept its share', async () => {
  const { assignment, temporaryMembers, plan } = await inGroup();
  plan([1], ['other']);
  assignment.declined(new Set([0]));
  assignment.declined(new Set([]), true);
  expect(temporaryMembers()).toBe(0);
  await assignment.close();
});
