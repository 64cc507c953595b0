import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupSessions } from '../../src/group/group-sessions.ts';
import type { Plan } from '../../src/group/plan.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import type { MemberContext } from '../../src/member-context.ts';
import { noClient } from '../support/no-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const context: MemberContext = {
  ...{ topic: 't', group: 'g', partitions: 1, thresholdMs: 1000, sessionTimeoutMs: 6000, topicCheck: 'off', clock: monotonicClock },
  // This random value keeps the whole back-off.
  host: { ...recordingHost('m'), random: () => 1 },
  client: noClient,
};
const plan: Plan = { members: new Map([['i', 1]]), share: undefined, strangers: [] };

/**
 * A member whose stays last as given by `lasting`, in milliseconds, with or without a plan; and the
 * pauses between them.
 */
function lived(stays: readonly { readonly lasting: number; readonly isPlanned: boolean }[]) {
  const awayMs: number[] = [];
  let leftAt: number | undefined;
  let turn = 0;
  const life = groupSessions(
    {
      context,
      topicIsThere: Promise.resolve(),
      assigner: stickyAssigner({ topic: 't', memberInfo: () => undefined }),
      assigns: false,
      planned: () => undefined,
      broke: () => undefined,
    },
    async ({ planned, clock }, signal) => {
      if (leftAt !== undefined) awayMs.push(Math.round(clock.now() - leftAt));
      const { lasting = 1, isPlanned = false } = stays[turn] ?? {};
      turn += 1;
      if (isPlanned) planned(plan, 1);
      await new Promise((resolve) => setTimeout(resolve, lasting));
      leftAt = clock.now();
      if (!signal.aborted) throw new Error('the stay broke');
    },
  );
  return { life, awayMs };
}

describe('membership in the group', () => {
  it('waits longer after each failed stay, up to twice T, and starts over once the group had a plan', async () => {
    const failing = { lasting: 1, isPlanned: false };
    const working = { lasting: 60_000, isPlanned: true };
    const { life, awayMs } = lived([failing, failing, failing, failing, failing, working, failing, working]);
    const over = new AbortController();
    const standing = life.run(over.signal);
    await vi.advanceTimersByTimeAsync(140_000);
    expect(awayMs.slice(0, 8)).toEqual([250, 500, 1000, 2000, 2000, 250, 500, 250]);
    over.abort();
    await vi.advanceTimersByTimeAsync(1000);
    await standing;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('warns of strangers in the consumer group until they leave', async () => {
    const host = recordingHost('m');
    const strangers = ['client "billing" at /10.0.0.7'];
    const assigner = stickyAssigner({ topic: 't', memberInfo: () => undefined });
    let planned: ((plan: Plan, generation: number | undefined) => void) | undefined;
    const life = groupSessions(
      {
        ...{ context: { ...context, host }, topicIsThere: Promise.resolve(), assigner, assigns: false },
        ...{ planned: () => undefined, broke: () => undefined },
      },
      (options, signal) => {
        ({ planned } = options);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    );
    const over = new AbortController();
    const standing = life.run(over.signal);
    await vi.advanceTimersByTimeAsync(1);
    planned?.({ ...plan, strangers }, 1);
    expect([...host.warnings]).toEqual([expect.stringMatching(/leadership:t:g: client "billing" at \/10\.0\.0\.7 .*guarantee/)]);
    planned?.(plan, 1);
    expect([...host.warnings]).toEqual([]);
    over.abort();
    await standing;
  });
});
