// Where a user looks who has asked for nothing: the warnings of the process, or the logger that they chose instead.
import { inspect } from 'node:util';
import type { Trouble } from '../contract/health.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Logger } from '../contract/logger.ts';
import { messageOf } from '../contract/message-of.ts';
import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** A trouble that comes and goes is reported once in this time. Milliseconds. */
const silenceMs = 60_000;
/** How many reports are remembered for that. */
const rememberedMax = 1000;

/** Reports troubles and warnings, each once. */
export interface Reporter {
  raised(level: 'trouble' | 'warning', trouble: Trouble): void;
  /** Only a logger is told, and only of what was reported to it. */
  mended(trouble: Trouble): void;
}

/** Whose reports they are, and where they go. */
export interface ReporterParts {
  readonly group: string;
  readonly member: string;
  readonly log?: Logger | false;
  readonly clock: Clock;
}

/** A reporter to the logger, or by default to `process.emitWarning`. */
export function reporterOf({ group, member, log, clock }: ReporterParts): Reporter {
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
      const text = [`${warningCode(trouble.code)} ${whose}: ${trouble.message}`, ...detailOf(trouble)].join('\n');
      attempt(() => (level === 'trouble' ? log.error(text) : log.warn(text)));
    },
    mended(trouble) {
      if (!log || !reported.has(trouble)) return;
      attempt(() => log.info(`${warningCode(trouble.code)} ${whose}: mended: ${trouble.message}`));
    },
  };
}

/** As `process.on('warning')` receives it, and as Node prints it. */
function warn(whose: string, { code, message, cause, ...trouble }: Trouble): void {
  const warning = new Error(`${whose}: ${message}`, { cause });
  const [detail] = detailOf({ code, message, cause, ...trouble });
  process.emitWarning(Object.assign(warning, { name: 'LeadershipWarning', code: warningCode(code), ...(detail && { detail }) }));
}

function warningCode(code: LeadershipErrorCode): string {
  return `LEADERSHIP_${code.toUpperCase().replaceAll('-', '_')}`;
}

/** The cause with its stack and its own causes. Left out where the message quotes it, unless the user's own code threw it. */
function detailOf({ code, message, cause }: Trouble): readonly string[] {
  const isQuoted = code !== 'work-failed' && cause instanceof Error && cause.cause === undefined && message.includes(cause.message);
  return cause === undefined || isQuoted ? [] : [shown(cause)];
}

/** A value may have its own way to be inspected, which fails. */
function shown(cause: unknown): string {
  try {
    return inspect(cause);
  } catch {
    return messageOf(cause);
  }
}

/** A logger that throws must not disturb the election. */
function attempt(log: () => unknown): void {
  try {
    log();
  } catch (error) {
    process.emitWarning(`the log option of a leadership source threw: ${inspect(error)}`, {
      code: 'LEADERSHIP_LOG',
      type: 'LeadershipWarning',
    });
  }
}
