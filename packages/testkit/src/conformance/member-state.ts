// The state of members, for the message of a time-out: one log must suffice to find the cause.
import type { Health, LeadershipSource } from '@leadership/core';
import type { ProcessMember } from '../processes/process-member.ts';

/** The number of latest events in a description. */
const shown = 8;

/** Returns the current state of one member in one line. */
export type Describe = () => string;

/** Starts to note the events of a source, and returns its description. */
export function describeSource(source: LeadershipSource): Describe {
  const latest: Noted[] = [];
  source.events$.subscribe(({ kind, partition, token, leader, reason, code }) => {
    const detail = leader ?? reason ?? code;
    latest.push({ atMs: performance.now(), kind, partition, token, detail });
    if (latest.length > shown) latest.shift();
  });
  return () => `${source.member} ${stateOf(source)}; ${listed(latest, performance.now())}`;
}

/** Returns the description of a member process: what its log says. */
export function describeProcess({ member, pid, events }: ProcessMember): Describe {
  return () => {
    const latest = events
      .slice(-shown)
      .map(({ atNs, ...event }) => ({ atMs: Number(atNs) / 1e6, ...event }));
    const nowMs = Number(process.hrtime.bigint()) / 1e6;
    return `${member} is process ${pid}; ${listed(latest, nowMs)}`;
  };
}

function stateOf(source: LeadershipSource): string {
  try {
    const held = [...source.held()].map(
      ([partition, { token }]) => `${partition} in term ${token}`,
    );
    const known = [...source.roster()].map(
      ([partition, { member, token }]) => `${partition} by ${member} in term ${token}`,
    );
    return [
      `leads ${held.join(', ') || 'nothing'}`,
      `knows ${known.join(', ') || 'no leader'}`,
      healthOf(source.health()),
    ].join('; ');
  } catch (error) {
    // The source under test may be broken. Its error must not replace the message of the time-out.
    return `cannot be read: ${String(error)}`;
  }
}

function healthOf({ ok, confirmedMsAgo, troubles, warnings }: Health): string {
  const confirmed =
    confirmedMsAgo === undefined
      ? 'never confirmed'
      : `confirmed ${Math.round(confirmedMsAgo)} ms ago`;
  const words = [...troubles, ...warnings].map(({ code, message }) => `${code} (${message})`);
  return `${ok ? 'healthy' : 'not healthy'}, ${confirmed}${words.map((word) => `, ${word}`).join('')}`;
}

interface Noted {
  /** When the event was noted. Milliseconds. */
  readonly atMs: number;
  readonly kind: string;
  readonly partition?: number | undefined;
  readonly token?: bigint | undefined;
  readonly detail?: string | undefined;
}

function listed(latest: readonly Noted[], nowMs: number): string {
  const words = latest.map(({ atMs, kind, partition, token, detail }) =>
    [
      kind,
      partition,
      token !== undefined && `in term ${token}`,
      detail !== undefined && `(${detail})`,
      `${Math.round(nowMs - atMs)} ms ago`,
    ]
      .filter((word) => word !== undefined && word !== false)
      .join(' '),
  );
  return `latest events: ${words.join(', ') || 'none'}`;
}
