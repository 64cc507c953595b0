import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import { AssignerProtocol, type GroupDescription } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupAssignment } from '../../src/group/assignment.ts';
import type { GroupSessionOptions } from '../../src/group/group-client.ts';
import { formatShare, type Plan, parseMemberInfo } from '../../src/group/plan.ts';
import { queryPlan } from '../../src/group/query-plan.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import { noClient } from '../support/no-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const memberId = 'client-1';
const limitMs = 6000;

/** Returns the plan of the join with that count. */
function planOf(session: number): Plan {
  return {
    members: new Map([['i', session]]),
    share: { session, plan: 1, partitions: [0] },
    strangers: [],
  };
}

/**
 * The coordinators' answers in order; the last one repeats. `undefined`: the group is still
 * planning.
 */
function group(...plans: readonly (Plan | undefined)[]): () => Promise<GroupDescription> {
  let asks = 0;
  return () => {
    const plan = plans[Math.min(asks, plans.length - 1)];
    asks += 1;
    const share = plan?.share;
    const memberAssignment = share
      ? AssignerProtocol.MemberAssignment.encode({
          version: 1,
          assignment: {},
          userData: formatShare(share),
        })
      : Buffer.alloc(0);
    const reported = {
      incarnation: 'i',
      session: share?.session ?? 0,
      standing: { plan: 0, holds: [], declines: [] },
    };
    const memberMetadata = stickyAssigner({
      topic: 't',
      partitions: 1,
      memberInfo: () => reported,
    }).protocol({
      topics: ['t'],
    }).metadata;
    const member = { memberId, clientId: '', clientHost: '', memberMetadata, memberAssignment };
    return Promise.resolve({
      groupId: 'g',
      protocol: '',
      protocolType: '',
      state: 'Stable',
      members: [member],
    });
  };
}

function ask(
  describe: () => Promise<GroupDescription>,
  signal = new AbortController().signal,
): Promise<Plan | undefined> {
  const fits = ({ share }: Plan): boolean => share?.session === 2;
  const times = { clock: monotonicClock, heartbeatMs: 300, sessionTimeoutMs: limitMs };
  const options = { groupId: 'g', topic: 't', fits, ...times };
  return queryPlan(options, memberId, describe, signal);
}

describe('a request for the plan', () => {
  it('continues while the group is planning', async () => {
    const asked = ask(
      group(
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        planOf(2),
      ),
    );
    await vi.advanceTimersByTimeAsync(limitMs / 2);
    expect(await asked).toEqual(planOf(2));
  });

  it("I1: refuses a plan from before this member's join", async () => {
    const asked = ask(group(planOf(1), planOf(1), planOf(2)));
    await vi.advanceTimersByTimeAsync(limitMs / 2);
    expect(await asked).toEqual(planOf(2));
  });

  it('rejects after its limit, so that the member joins again', async () => {
    const asked = expect(ask(group(planOf(1)))).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(limitMs + 300);
    await asked;
  });

  it('ends with its signal', async () => {
    const over = new AbortController();
    const asked = ask(group(undefined), over.signal);
    over.abort();
    expect(await asked).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('I1: ignores answers and errors after its signal: another join is in progress', async () => {
    const answers = [group(planOf(2)), () => Promise.reject(new Error('gone'))];
    for (const answer of answers) {
      const over = new AbortController();
      const late = async (): Promise<GroupDescription> => {
        await Promise.resolve();
        over.abort();
        return answer();
      };
      expect(await ask(late, over.signal)).toBeUndefined();
    }
  });
});

describe('a member that joins', () => {
  it('counts its joins, and accepts only a plan with the last count', async () => {
    const host = recordingHost('m');
    const own = {
      topic: 't',
      group: 'g',
      partitions: 1,
      thresholdMs: 10_000,
      sessionTimeoutMs: 6000,
      topicCheck: 'off',
    } as const;
    let options: GroupSessionOptions | undefined;
    const assignment = groupAssignment(
      { ...own, clock: monotonicClock, host, client: noClient },
      Promise.resolve(),
      (given, signal) => {
        options = given;
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      },
    );
    assignment.setCandidate(true);
    await vi.advanceTimersByTimeAsync(1);
    const counts = [1, 2].map(() => {
      const decoded = AssignerProtocol.MemberMetadata.decode(
        options?.assigner.protocol({ topics: ['t'] }).metadata ?? Buffer.alloc(0),
      );
      return decoded && parseMemberInfo(decoded.userData)?.session;
    });
    expect(counts).toEqual([1, 2]);
    const fits = (session: number): boolean | undefined => options?.fits?.(planOf(session));
    expect([fits(1), fits(2)]).toEqual([false, true]);
    await assignment.close();
  });
});
