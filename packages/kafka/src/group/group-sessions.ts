// Keeps one member in the consumer group while it is a candidate, from when the topic exists. After
// a session breaks, the member joins again.
import { LeadershipError } from '@leadership/core';
import { HealthReporter, retry } from '@leadership/core/internal/engine';
import { type Limits, limitsOf, type MemberContext } from '../member-context.ts';
import type { GroupSessionOptions, RunGroupSession } from './group-client.ts';
import type { Plan } from './plan.ts';
import { startupErrorFilter } from './startup-error-filter.ts';

/** Options of {@link groupSessions}. */
export interface GroupSessionsOptions
  extends Pick<GroupSessionOptions, 'assigner' | 'planned' | 'disturbed' | 'fits'> {
  readonly context: MemberContext;
  /** Resolves once the topic exists. */
  readonly topicIsThere: Promise<void>;
  /** Called when a session breaks, unless the coordinator is still starting. Another session follows. */
  readonly broke: (error: unknown) => void;
}

/** Controls a member's sessions in the group. */
export interface GroupSessions {
  /**
   * Keeps the member in the group until the signal aborts. Never rejects. A second call waits for the end of
   * the first.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once the member has left the group. */
  left(): Promise<void>;
}

/**
 * The heartbeat interval as a share of T. Members learn of a rebalance with their next heartbeat.
 */
const heartbeatShare = 1 / 6;
/** The shortest heartbeat interval, in milliseconds: shorter ones cost more than they save. */
const heartbeatMsMin = 100;

/**
 * Returns the id of an election's consumer group. The id is unique: a topic's name contains no
 * colon, so the first two colons end the prefix and the topic.
 */
export function groupIdOf({ topic, group }: Pick<MemberContext, 'topic' | 'group'>): string {
  return `leadership:${topic}:${group}`;
}

/**
 * Returns the heartbeat interval in milliseconds: at most a third of a session, so that two
 * heartbeats may get lost.
 */
export function heartbeatMsOf({
  thresholdMs,
  sessionTimeoutMs,
}: Pick<MemberContext, 'thresholdMs' | 'sessionTimeoutMs'>): number {
  return Math.floor(
    Math.min(sessionTimeoutMs / 3, Math.max(heartbeatMsMin, heartbeatShare * thresholdMs)),
  );
}

/**
 * Returns the time limits of requests to the coordinator. It answers SyncGroup only after the
 * assigning member has sent its own, or a session later if that member died. Heartbeats without an
 * answer detect other hangs.
 */
export function groupLimitsOf(context: MemberContext): Limits {
  const { limitMs, requestTimeoutMs } = limitsOf(context);
  return { limitMs, requestTimeoutMs: context.sessionTimeoutMs + requestTimeoutMs };
}

/** Returns the control of one member's sessions. `runSession` runs one session; tests replace it. */
export function groupSessions(
  { context, topicIsThere, assigner, planned, disturbed, fits, broke }: GroupSessionsOptions,
  runSession: RunGroupSession = context.client.runGroupSession,
): GroupSessions {
  const { thresholdMs, clock, host } = context;
  const limits = groupLimitsOf(context);
  const errorFilter = startupErrorFilter(clock, limits.limitMs);
  const warnings = new HealthReporter(host, 'warning');
  const groupId = groupIdOf(context);
  let gotIn = (): void => undefined;
  const options = {
    ...context,
    ...limits,
    groupId,
    heartbeatMs: heartbeatMsOf(context),
    assigner,
    planned(plan: Plan, generation: number | undefined) {
      errorFilter.reset();
      gotIn();
      if (plan.strangers.length > 0)
        warnings.raise('strangers', strangersIn(groupId, plan.strangers));
      else warnings.mend('strangers');
      planned(plan, generation);
    },
    ...(disturbed && { disturbed }),
    ...(fits && { fits }),
  };
  const backOff = { firstMs: thresholdMs / 4, lastMs: 2 * thresholdMs, random: host.random };
  let leaving: Promise<void> = Promise.resolve();
  const session = async (signal: AbortSignal, succeeded: () => void): Promise<void> => {
    gotIn = succeeded;
    await runSession(options, signal);
  };
  const standOn = async (before: Promise<void>, signal: AbortSignal): Promise<void> => {
    await settledOrAborted(Promise.all([topicIsThere, before]), signal);
    const report = (error: unknown): true => {
      if (!errorFilter.covers(error)) broke(error);
      return true;
    };
    await retry(
      { attempt: (succeeded) => session(signal, succeeded), broke: report },
      backOff,
      clock,
      signal,
    );
    warnings.mendAll();
    await before;
  };
  return {
    run(signal) {
      leaving = standOn(leaving, signal);
      return leaving;
    },
    left: () => leaving,
  };
}

function strangersIn(groupId: string, strangers: readonly string[]): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `consumer group ${groupId}: ${strangers.join(', ')} joined it and takes no part in this election: it is ignored. Let it consume under another group id; members of one election need the same guarantee`,
  );
}

function settledOrAborted(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    awaited.then(done, done);
  });
}
