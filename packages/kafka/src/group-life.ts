// One member's life in the consumer group: one stay after the other, while it stands for election and from when there is a topic.
import { LeadershipError } from '@leadership/core';
import { keepTrying, raised } from '@leadership/core/backend';
import type { GroupAssigner, StayInGroup } from './group-port.ts';
import type { Plan } from './plan.ts';
import { startingPatience } from './starting-patience.ts';
import { type Limits, limitsOf, type Wiring } from './wiring.ts';

/** What such a life is about. */
export interface GroupLifeOptions {
  readonly wiring: Wiring;
  /** Resolves once there is a topic to subscribe to. */
  readonly topicIsThere: Promise<void>;
  readonly assigner: GroupAssigner;
  /** Whether the group assigns partitions (I), or only knows who is there. */
  readonly assigns: boolean;
  /** The group has a new plan; again, with the number of the generation that it is for, once that is known. */
  readonly planned: (plan: Plan, generation: number | undefined) => void;
  /** Somebody came or left: the plan that was told last may be out of date. */
  readonly disturbed?: () => void;
  /** Whether a plan was made after this member joined last. Left out: any is good enough. */
  readonly fits?: (plan: Plan) => boolean;
  /** A stay broke, and not because the coordinator is only just starting: another one follows. */
  readonly broke: (error: unknown) => void;
  /** A stay begins. What it answers is disposed of when the stay breaks, or has ended. */
  readonly entered?: (signal: AbortSignal) => Disposable;
}

/** A life in the group. */
export interface GroupLife {
  /** Stays in the group until the signal aborts. Never rejects. Of two such times the second waits for the end of the first. */
  stand(signal: AbortSignal): Promise<void>;
  /** Resolves once the group has been left. */
  left(): Promise<void>;
}

/** How often the coordinator hears from a member, as a share of T: that soon all of them know that somebody joins. */
const heartbeatShare = 1 / 6;
/** More often than this costs more than it brings. Milliseconds. */
const heartbeatMsMin = 100;

/**
 * The consumer group of an election. No other election has the same: a topic's name has no colon, so that the first two end the
 * prefix and the topic.
 */
export function groupIdOf({ topic, group }: Pick<Wiring, 'topic' | 'group'>): string {
  return `leadership:${topic}:${group}`;
}

/** How often a member sends a heartbeat: a third of a session at the most, so that two of them may get lost. Milliseconds. */
export function heartbeatMsOf({ thresholdMs, sessionTimeoutMs }: Pick<Wiring, 'thresholdMs' | 'sessionTimeoutMs'>): number {
  return Math.floor(Math.min(sessionTimeoutMs / 3, Math.max(heartbeatMsMin, heartbeatShare * thresholdMs)));
}

/**
 * The coordinator answers no SyncGroup before the member that assigns has sent its own, or has been missed: where that one died, a
 * session later. What hangs otherwise is noticed by heartbeats that get no answer.
 */
export function groupLimitsOf(wiring: Wiring): Limits {
  const { limitMs, requestTimeoutMs } = limitsOf(wiring);
  return { limitMs, requestTimeoutMs: wiring.sessionTimeoutMs + requestTimeoutMs };
}

/** `stayOnce` is one stay: what a test puts in its place knows when it breaks. */
export function groupLife(
  { wiring, topicIsThere, assigner, assigns, planned, disturbed, fits, broke, entered }: GroupLifeOptions,
  stayOnce: StayInGroup = wiring.client.stayInGroup,
): GroupLife {
  const { thresholdMs, clock, host } = wiring;
  const limits = groupLimitsOf(wiring);
  const patience = startingPatience(clock, limits.limitMs);
  const warnings = raised(host, 'warning');
  const groupId = groupIdOf(wiring);
  let gotIn = (): void => undefined;
  const options = {
    ...wiring,
    ...limits,
    groupId,
    heartbeatMs: heartbeatMsOf(wiring),
    assigner,
    assigns,
    planned(plan: Plan, generation: number | undefined) {
      patience.reset();
      gotIn();
      if (plan.strangers.length > 0) warnings.raise('strangers', strangersIn(groupId, plan.strangers));
      else warnings.mend('strangers');
      planned(plan, generation);
    },
    ...(disturbed && { disturbed }),
    ...(fits && { fits }),
  };
  const backOff = { firstMs: thresholdMs / 4, lastMs: 2 * thresholdMs, random: host.random };
  let leaving: Promise<void> = Promise.resolve();
  const stay = async (signal: AbortSignal, succeeded: () => void): Promise<void> => {
    const undo = entered?.(signal);
    gotIn = succeeded;
    await stayOnce(options, signal).finally(() => undo?.[Symbol.dispose]());
  };
  const standOn = async (before: Promise<void>, signal: AbortSignal): Promise<void> => {
    await settledOrAborted(Promise.all([topicIsThere, before]), signal);
    const tell = (error: unknown): true => {
      if (!patience.covers(error)) broke(error);
      return true;
    };
    await keepTrying({ attempt: (succeeded) => stay(signal, succeeded), broke: tell }, backOff, clock, signal);
    warnings.mendAll();
    await before;
  };
  return {
    stand(signal) {
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
