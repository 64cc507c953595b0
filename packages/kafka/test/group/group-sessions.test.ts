import { monotonicClock } from '@leadership/core/adapter';
import { recordingHost } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type GroupSessionsOptions,
  groupLimitsOf,
  groupSessions,
  heartbeatMsOf,
} from '../../src/group/group-sessions.ts';
import type { Plan } from '../../src/group/plan.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import type { MemberContext } from '../../src/member-context.ts';
import { noClient } from '../support/no-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const context: MemberContext = {
  topic: 't',
  group: 'g',
  partitions: 1,
  thresholdMs: 1000,
  sessionTimeoutMs: 6000,
  topicCheck: 'off',
  clock: monotonicClock,
  // This random value keeps the whole back-off.
  host: { ...recordingHost('m'), random: () => 1 },
  client: noClient,
};
const plan: Plan = { members: new Map([['i', 1]]), share: undefined, strangers: [] };

/**
 * A member whose sessions last as given by `lasting`, in milliseconds, with or without a plan; and the
 * pauses between them.
 */
function lived(sessions: readonly { readonly lasting: number; readonly isPlanned: boolean }[]) {
  const awayMs: number[] = [];
  let leftAt: number | undefined;
  let turn = 0;
  const life = groupSessions(
    {
      context,
      topicIsThere: Promise.resolve(),
      assigner: stickyAssigner({ topic: 't', partitions: 1, memberInfo: () => undefined }),
      planned: () => undefined,
      broke: () => undefined,
    },
    async ({ planned, clock }, signal) => {
      if (leftAt !== undefined) awayMs.push(Math.round(clock.now() - leftAt));
      const { lasting = 1, isPlanned = false } = sessions[turn] ?? {};
      turn += 1;
      if (isPlanned) planned(plan, 1);
      await new Promise((resolve) => setTimeout(resolve, lasting));
      leftAt = clock.now();
      if (!signal.aborted) throw new Error('the session broke');
    },
  );
  return { life, awayMs };
}

describe('membership in the group', () => {
  it('waits longer after each failed session, up to twice T, and starts over once the group had a plan', async () => {
    const failing = { lasting: 1, isPlanned: false };
    const working = { lasting: 60_000, isPlanned: true };
    const { life, awayMs } = lived([
      failing,
      failing,
      failing,
      failing,
      failing,
      working,
      failing,
      working,
    ]);
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
    const assigner = stickyAssigner({ topic: 't', partitions: 1, memberInfo: () => undefined });
    let planned: ((plan: Plan, generation: number | undefined) => void) | undefined;
    const life = groupSessions(
      {
        context: { ...context, host },
        topicIsThere: Promise.resolve(),
        assigner,
        planned: () => undefined,
        broke: () => undefined,
      },
      (options, signal) => {
        ({ planned } = options);
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      },
    );
    const over = new AbortController();
    const standing = life.run(over.signal);
    await vi.advanceTimersByTimeAsync(1);
    planned?.({ ...plan, strangers }, 1);
    expect([...host.warnings]).toEqual([
      expect.stringMatching(/leadership:t:g: client "billing" at \/10\.0\.0\.7 .*guarantee/),
    ]);
    planned?.(plan, 1);
    expect([...host.warnings]).toEqual([]);
    over.abort();
    await standing;
  });
});

describe('a session in the group', () => {
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  /** Sessions that last until the test ends them, also after their signal has aborted. */
  function sessionsOf(change: Partial<GroupSessionsOptions> = {}) {
    const host = { ...recordingHost('m'), random: () => 1 };
    const running: { end: (error?: unknown) => void; plan: (plan: Plan) => void }[] = [];
    const broken: unknown[] = [];
    const assigner = stickyAssigner({ topic: 't', partitions: 1, memberInfo: () => undefined });
    const options = {
      context: { ...context, host },
      topicIsThere: Promise.resolve(),
      assigner,
      planned: () => undefined,
      broke: (error: unknown) => void broken.push(error),
      ...change,
    };
    const sessions = groupSessions(
      options,
      ({ planned }) =>
        new Promise((resolve, reject) => {
          running.push({
            end: (error) => (error === undefined ? resolve() : reject(error)),
            plan: (made) => planned(made, 1),
          });
        }),
    );
    return { host, sessions, running, broken };
  }

  it('begins once the topic exists', async () => {
    let exists = (): void => undefined;
    const topicIsThere = new Promise<void>((resolve) => {
      exists = resolve;
    });
    const { sessions, running } = sessionsOf({ topicIsThere });
    void sessions.run(new AbortController().signal);
    await pass(1000);
    expect(running).toHaveLength(0);
    exists();
    await pass(0);
    expect(running).toHaveLength(1);
  });

  it('begins after the end of the one before, and the member has left after the end of both', async () => {
    const { sessions, running } = sessionsOf();
    const [first, second] = [new AbortController(), new AbortController()];
    void sessions.run(first.signal);
    await pass(0);
    first.abort();
    void sessions.run(second.signal);
    let hasLeft = false;
    void sessions.left().then(() => {
      hasLeft = true;
    });
    await pass(1000);
    expect(running).toHaveLength(1);
    second.abort();
    await pass(1000);
    expect(hasLeft).toBe(false);
    running[0]?.end();
    await pass(0);
    expect([running.length, hasLeft]).toEqual([1, true]);
  });

  it('leaves no warning of strangers behind', async () => {
    const { sessions, running, host } = sessionsOf();
    const over = new AbortController();
    void sessions.run(over.signal);
    await pass(0);
    running[0]?.plan({ ...plan, strangers: ['x'] });
    expect(host.warnings.size).toBe(1);
    over.abort();
    running[0]?.end();
    await pass(0);
    expect(host.warnings.size).toBe(0);
  });

  it('reports why it broke, but not that the coordinator is still starting, unless that takes long', async () => {
    const { sessions, running, broken } = sessionsOf();
    const starting = Object.assign(new Error('starting'), {
      name: 'KafkaJSGroupCoordinatorNotFound',
    });
    void sessions.run(new AbortController().signal);
    await pass(0);
    running[0]?.end(starting);
    await pass(250);
    expect(broken).toEqual([]);
    running[1]?.end(new Error('broke'));
    await pass(500);
    expect(broken).toEqual([new Error('broke')]);
    await pass(60_000);
    running[2]?.end(starting);
    await pass(0);
    expect(broken).toEqual([new Error('broke'), starting]);
  });

  it('waits for a coordinator that starts again after a plan as long as for the first one', async () => {
    const { sessions, running, broken } = sessionsOf();
    const starting = Object.assign(new Error('starting'), {
      name: 'KafkaJSGroupCoordinatorNotFound',
    });
    void sessions.run(new AbortController().signal);
    await pass(0);
    running[0]?.end(starting);
    await pass(250);
    running[1]?.plan(plan);
    await pass(60_000);
    running[1]?.end(starting);
    await pass(0);
    expect(broken).toEqual([]);
  });
});

describe('the times of a group', () => {
  it.each([
    [6000, 3000, 500],
    [6000, 300, 100],
    [6000, 60_000, 2000],
    [240, 3000, 80],
  ])(
    'a session of %d ms with T = %d ms has a heartbeat every %d ms',
    (sessionTimeoutMs, thresholdMs, heartbeatMs) => {
      expect(heartbeatMsOf({ sessionTimeoutMs, thresholdMs })).toBe(heartbeatMs);
    },
  );

  it('a request to the coordinator may take a session longer: the assigning member may have died', () => {
    const longer = groupLimitsOf({ ...context, sessionTimeoutMs: 10_000 }).requestTimeoutMs;
    expect(longer - groupLimitsOf({ ...context, sessionTimeoutMs: 6000 }).requestTimeoutMs).toBe(
      4000,
    );
  });
});
