// Reports troubles without any configuration: as warnings of the process, or to the logger that the
// user chose instead.
import { inspect } from 'node:util';
import type { Trouble } from '../contract/health.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Logger } from '../contract/logger.ts';
import { messageOf } from '../contract/message-of.ts';
import type { Clock } from '../time/clock.ts';
import { after, type Instant } from '../time/instant.ts';

/** The minimum time between two reports of the same trouble. Milliseconds. */
const silenceMs = 60_000;
/** How many reports are remembered for that purpose. */
const rememberedMax = 1000;

/**
 * Troubles that are usual while the members of a group start one after the other. During the first
 * T of a source they are only in `health()` and in the events; they are reported if they last
 * longer.
 */
const usualAtStart: readonly LeadershipErrorCode[] = ['no-quorum'];

/** Reports each trouble and warning once. Disposing it cancels the reports that wait. */
export interface Reporter extends Disposable {
  raised(level: 'trouble' | 'warning', trouble: Trouble): void;
  /**
   * Reports the end of a trouble. Only a logger receives it, and only if the trouble was reported
   * to that logger.
   */
  mended(trouble: Trouble): void;
}

/** The source that reports, and the destination. */
export interface ReporterParts {
  readonly group: string;
  readonly member: string;
  readonly log?: Logger | false;
  readonly clock: Clock;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
}

/** Creates a reporter to the logger, or by default to `process.emitWarning`. */
export function reporterOf(parts: ReporterParts): Reporter {
  const { clock, thresholdMs } = parts;
  const startedAt = after(clock.now(), thresholdMs);
  const waiting = new Map<Trouble, ReturnType<Clock['wake']>>();
  const cancel = (trouble: Trouble): boolean => {
    waiting.get(trouble)?.[Symbol.dispose]();
    return waiting.delete(trouble);
  };
  const reports = reportsOf(parts);
  return {
    raised(level, trouble) {
      if (!usualAtStart.includes(trouble.code) || clock.now() >= startedAt)
        return reports.raised(level, trouble);
      const wake = clock.wake(startedAt, () => {
        waiting.delete(trouble);
        reports.raised(level, trouble);
      });
      wake.unref?.();
      waiting.set(trouble, wake);
    },
    mended(trouble) {
      if (!cancel(trouble)) reports.mended(trouble);
    },
    [Symbol.dispose]() {
      for (const trouble of waiting.keys()) cancel(trouble);
    },
  };
}

/** Returns a reporter that waits for nothing. */
function reportsOf({
  group,
  member,
  log,
  clock,
}: ReporterParts): Pick<Reporter, 'raised' | 'mended'> {
  const reportedAt = new Map<string, Instant>();
  const reported = new WeakSet<Trouble>();
  const isRepeated = (key: string): boolean => {
    const now = clock.now();
    const before = reportedAt.get(key);
    if (before !== undefined && now - before < silenceMs) return true;
    reportedAt.delete(key);
    reportedAt.set(key, now);
    const [oldest] = reportedAt.keys();
    if (reportedAt.size > rememberedMax && oldest !== undefined) reportedAt.delete(oldest);
    return false;
  };
  const whose = `group "${group}", member "${member}"`;
  return {
    raised(level, trouble) {
      if (log === false || isRepeated(`${trouble.code} ${trouble.message}`)) return;
      reported.add(trouble);
      if (log === undefined) return warn(whose, trouble);
      const text = [
        `${warningCode(trouble.code)} ${whose}: ${trouble.message}`,
        ...detailOf(trouble),
      ].join('\n');
      attempt(() => (level === 'trouble' ? log.error(text) : log.warn(text)));
    },
    mended(trouble) {
      if (!log || !reported.has(trouble)) return;
      attempt(() => log.info(`${warningCode(trouble.code)} ${whose}: mended: ${trouble.message}`));
    },
  };
}

/** Emits a process warning in the form that `process.on('warning')` receives and Node prints. */
function warn(whose: string, { code, message, cause, ...trouble }: Trouble): void {
  const warning = new Error(`${whose}: ${message}`, { cause });
  const [detail] = detailOf({ code, message, cause, ...trouble });
  process.emitWarning(
    Object.assign(warning, {
      name: 'LeadershipWarning',
      code: warningCode(code),
      ...(detail && { detail }),
    }),
  );
}

function warningCode(code: LeadershipErrorCode): string {
  return `LEADERSHIP_${code.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Returns the cause with its stack and its own causes. Omits it if the message quotes it, unless
 * the user's own code threw it.
 */
function detailOf({ code, message, cause }: Trouble): readonly string[] {
  const isQuoted =
    code !== 'work-failed' &&
    cause instanceof Error &&
    cause.cause === undefined &&
    message.includes(cause.message);
  return cause === undefined || isQuoted ? [] : [shown(cause)];
}

/** Formats a value whose own inspection method may throw. */
function shown(cause: unknown): string {
  try {
    return inspect(cause);
  } catch {
    return messageOf(cause);
  }
}

/**
 * Calls the logger. A logger that throws must not disturb the election, nor may one whose methods are
 * asynchronous and reject end the process.
 */
function attempt(log: () => unknown): void {
  try {
    Promise.resolve(log()).catch((error: unknown) => logFailed('rejected', error));
  } catch (error) {
    logFailed('threw', error);
  }
}

function logFailed(how: 'rejected' | 'threw', error: unknown): void {
  process.emitWarning(`the log option of a leadership source ${how}: ${inspect(error)}`, {
    code: 'LEADERSHIP_LOG',
    type: 'LeadershipWarning',
  });
}
