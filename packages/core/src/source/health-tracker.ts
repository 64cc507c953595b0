import { causeJson } from '../contract/error-json.ts';
import type { Health, Trouble } from '../contract/health.ts';
import { LeadershipError, type LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Reporter } from '../process/trouble-reporter.ts';
import { type Clock, wallMs } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';
import { detailsOf, type EventDetails } from './event-record.ts';

/** A trouble or warning at the moment it is raised. */
export type Complaint = Omit<Trouble, 'since'>;

/** Tracks what `health()` reports, from the calls of the backend and of the work. */
export interface HealthTracker {
  isReady: boolean;
  isClosed: boolean;
  confirmed(): void;
  ignored(what: string): void;
  measured(what: string, value: number): void;
  /**
   * Raises a trouble. Disposing the result ends it. Several parts may raise the same one, as when a
   * store does not answer: it is then listed and reported once, until the last of them ends it.
   */
  trouble(complaint: Complaint): Disposable;
  /** Raises a warning in the same way. */
  warning(complaint: Complaint): Disposable;
  /**
   * Raises a trouble that never ends. If the backend has raised the same trouble, it is not listed
   * twice.
   */
  refused(complaint: Complaint): Trouble;
  health(): Health;
}

type Change = 'trouble' | 'warning' | 'mended';

/** Where troubles and warnings are reported once `health()` shows them. */
export interface HealthReports {
  readonly reporter: Reporter;
  /** Publishes the present trouble in the group. */
  publish(): void;
  /** `mended`: once when a trouble or warning ends, unless the source was refused or closes. */
  emit(kind: Change, details: EventDetails): void;
  /** Returns measurements that `health()` adds, by name. Absent: none. */
  measured?(): Readonly<Record<string, number>>;
}

export function healthTracker(clock: Clock, reports: HealthReports): HealthTracker {
  const troubles = new Set<Trouble>();
  const warnings = new Set<Trouble>();
  const raised = new Map<string, { readonly trouble: Trouble; count: number }>();
  const raisedNow = (complaint: Complaint): Trouble =>
    new RaisedTrouble(complaint, new Date(wallMs(clock)));
  const raise = (level: 'trouble' | 'warning', complaint: Complaint): Disposable => {
    const { code, message, partition } = complaint;
    const among = level === 'trouble' ? troubles : warnings;
    const key = JSON.stringify([level, code, message, partition]);
    const known = raised.get(key) ?? { trouble: raisedNow(complaint), count: 0 };
    known.count += 1;
    if (known.count === 1) {
      raised.set(key, known);
      among.add(known.trouble);
      report(reports, level, known.trouble);
    }
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      known.count -= 1;
      if (known.count > 0) return;
      raised.delete(key);
      among.delete(known.trouble);
      // A source that stops withdraws its reports, which ends no cause.
      if (refusal === undefined && !tracker.isClosed) report(reports, 'mended', known.trouble);
    };
    return { [Symbol.dispose]: end };
  };
  const ignored = new Map<string, number>();
  const measured = new Map<string, number>();
  let refusal: Trouble | undefined;
  let confirmedAt: Instant | undefined;
  const troublesNow = (): readonly Trouble[] => {
    const isListed =
      refusal === undefined || [...troubles].some(({ message }) => message === refusal?.message);
    return refusal === undefined || isListed ? [...troubles] : [...troubles, refusal];
  };
  const tracker: HealthTracker = {
    isReady: false,
    isClosed: false,
    confirmed() {
      confirmedAt = clock.now();
    },
    ignored(what) {
      ignored.set(what, (ignored.get(what) ?? 0) + 1);
    },
    measured(what, value) {
      measured.set(what, value);
    },
    trouble: (complaint) => raise('trouble', complaint),
    warning: (complaint) => raise('warning', complaint),
    refused(complaint) {
      refusal ??= raisedNow(complaint);
      return refusal;
    },
    health() {
      const confirmedMsAgo = confirmedAt === undefined ? undefined : clock.now() - confirmedAt;
      const now = troublesNow();
      const ok = this.isReady && !this.isClosed && now.length === 0;
      const counts = {
        ignored: Object.fromEntries(ignored),
        measured: { ...reports.measured?.(), ...Object.fromEntries(measured) },
      };
      return { ok, confirmedMsAgo, ...counts, troubles: now, warnings: [...warnings] };
    },
  };
  return tracker;
}

function report(
  { reporter, publish, emit }: HealthReports,
  change: Change,
  trouble: Trouble,
): void {
  publish();
  if (change === 'mended') reporter.mended(trouble);
  else reporter.raised(change, trouble);
  emit(change, detailsOf(trouble));
}

/** A trouble that `JSON.stringify` accepts, whatever its cause is. */
export class RaisedTrouble implements Trouble {
  readonly code: LeadershipErrorCode;
  readonly since: Date;
  readonly message: string;
  declare readonly partition?: number;
  declare readonly cause?: unknown;

  constructor({ code, message, cause, partition }: Complaint, since: Date) {
    this.code = code;
    this.since = since;
    this.message = message;
    const underneath = underneathOf(message, cause);
    if (partition !== undefined) this.partition = partition;
    if (underneath !== undefined) this.cause = underneath;
  }

  toJSON(): object {
    return { ...this, ...(this.cause !== undefined && { cause: causeJson(this.cause) }) };
  }
}

/**
 * Returns the underlying cause. A backend may pass an error with the same message as the trouble;
 * then its own cause is the useful one.
 */
function underneathOf(message: string, cause: unknown): unknown {
  return cause instanceof LeadershipError && cause.message === message ? cause.cause : cause;
}
