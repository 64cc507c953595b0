// The calls between the machine, its shell and its source. A mutant replaces one of these seams, as a
// wrong line in the shell or the source would.
import {
  type Backend,
  type Clock,
  type Exchange,
  type Exchanged,
  type Host,
  type Membership,
  sleep,
} from '@leadership/core/adapter';
import type { Rows } from '@leadership/core/internal/sessions';

export interface Seams {
  /** The clock of the source. */
  readonly clock: (clock: Clock) => Clock;
  /** The clock that the shell gets in its place. */
  readonly shellClock: (clock: Clock) => Clock;
  /** The host that the shell gets. */
  readonly host: (host: Host) => Host;
  /** The rows that the shell gets. */
  readonly rows: (rows: Rows, host: Host) => Rows;
  /** The membership that the source gets. */
  readonly membership: (membership: Membership) => Membership;
}

function same<T>(value: T): T {
  return value;
}

/** The seams as they are. */
export const seams: Seams = {
  clock: same,
  shellClock: same,
  host: same,
  rows: same,
  membership: same,
};

/** Returns the backend with its seams replaced. `clock` is the one that the source was given. */
export function backendThrough(backend: Backend, by: Seams, clock: Clock): Backend {
  return {
    guarantees: backend.guarantees,
    start(host) {
      const seen = by.host({ ...host, clock: by.shellClock(clock) });
      return by.membership(backend.start(seen));
    },
  };
}

/** A defect of the source: its clock does not advance between its timers. */
export function clockOfTimers(clock: Clock): Clock {
  let at = clock.now();
  return {
    ...clock,
    now: () => at,
    wake(due, callback) {
      return clock.wake(due, () => {
        at = clock.now();
        callback();
      });
    },
  };
}

/** A defect: timers that come late, as after a pause, are not called. */
export function withoutLateTimers(lateMs: number): (clock: Clock) => Clock {
  return (clock) => ({
    ...clock,
    wake: (at, callback) =>
      clock.wake(at, () => {
        if (clock.now() < at + lateMs) callback();
      }),
  });
}

/** A defect: timers are never cancelled. */
export function withoutCancel(clock: Clock): Clock {
  return {
    ...clock,
    wake(at, callback) {
      clock.wake(at, callback);
      return { [Symbol.dispose]: () => undefined };
    },
  };
}

/** A defect: a request without an answer for that long counts as one whose changes were made. */
export function lostIsDone(waitMs: number): Seams['rows'] {
  return (rows, { clock }) => ({
    ...rows,
    exchange(request, signal) {
      const answer = rows.exchange(request, signal);
      if (request.changes.length === 0) return answer;
      const waited = sleep(clock, waitMs, signal).then(() => madeOf(request));
      return Promise.race([answer, waited]);
    },
  });
}

function madeOf({ changes, since }: Exchange): Exchanged {
  const outcomes = changes.map(() => true);
  const rows = changes.map(({ name, text }) => [name, text] as const);
  return { outcomes, rows, position: since, isWhole: false };
}

/** A defect: a term is announced when its claim is sent. */
export function announcesClaims(rows: Rows, host: Host): Rows {
  return {
    ...rows,
    exchange(request, signal) {
      for (const { text } of request.changes) announce(text, host);
      return rows.exchange(request, signal);
    },
  };
}

function announce(text: string | null, host: Host): void {
  if (text?.startsWith('{"kind":"hold"') !== true) return;
  const { session, partition, token } = JSON.parse(text) as {
    readonly session: string;
    readonly partition: number;
    readonly token: string;
  };
  if (session.startsWith(`${host.incarnation}/`)) host.granted({ partition, token: BigInt(token) });
}
