// Runs a job at each tick of a cron pattern, on the leader only.
import { LeadershipError, type Role, type Term } from '@leadership/core';
import { check } from '@leadership/core/adapter';
import { CallScopes } from '@leadership/core/internal';
import { Cron } from 'croner';
import { type Observable, Subject } from 'rxjs';
import { checkSchedule } from './check-schedule.ts';
import { claimedAheadWarner } from './claimed-ahead.ts';
import { sleepMsMax, type WallClock, wallClock } from './clock.ts';
import { nextAfter } from './next-after.ts';
import { ticksOf } from './row-ticks.ts';
import type { Job, Tick, TickOutcome } from './tick.ts';
import { graceMsOf, TickClaims } from './tick-claims.ts';
import type { TickStore } from './tick-store.ts';

/** Options for {@link schedule}. */
export interface ScheduleOptions {
  /** The name of the schedule in the store. All members must use the same. */
  readonly name: string;
  /**
   * Where claimed ticks are kept. All members must use the same store. Default: the group of the role,
   * as `rowTicks` keeps them.
   */
  readonly store?: TickStore;
  /** The time zone of the pattern, such as `Europe/Zurich`. Default: that of the process. */
  readonly timezone?: string;
  /**
   * The treatment of ticks that were missed, because no member led or an earlier job still
   * ran. `skip` (default) runs none of them, `latest` the latest one, `all` each in order. Ticks
   * that do not run are reported in `outcomes$` as `missed`.
   */
  readonly missed?: 'skip' | 'latest' | 'all';
  /**
   * How late a tick may be that still runs at its time, because the leader changed. Milliseconds.
   * Default: the longest fail-over of the source, as its guarantees state it.
   */
  readonly graceMs?: number;
  /** With `missed: 'all'`: how many ticks are caught up at once, the latest ones. Default 1000. */
  readonly missedMax?: number;
}

/** A running schedule, as this member sees it. */
export interface Schedule {
  /** Returns the time of the next tick, or `undefined` if the pattern has none. */
  next(): Date | undefined;
  /** The outcome of each tick for which this member was responsible. Completes on `close`. */
  readonly outcomes$: Observable<TickOutcome>;
  /** Settles when the schedule has ended. Rejects with the error of `ready()` of the source. */
  readonly done: Promise<void>;
  /**
   * Stops the schedule on this member, and resolves once a running job has settled. That job itself
   * may await it: there it resolves at once.
   */
  close(): Promise<void>;
}

/**
 * Runs `job` at each tick of a cron pattern on the member that leads `role`. Each tick runs at most
 * once across all members: the leader claims it in the store before it runs the job. If the leader
 * crashes between claim and end of the job, the tick has run partly or not at all, and is not
 * repeated. An orderly hand-over waits for a running job.
 *
 * @param role - the role whose leader runs the job
 * @param pattern - five fields, or six with seconds first, as `croner` reads them
 * @param job - runs at each tick; if it throws, `outcomes$` reports it, and the process a warning
 * @throws LeadershipError `invalid-options` if the pattern, the time zone or another option is
 * invalid
 */
export function schedule(
  role: Role,
  pattern: string,
  job: Job,
  options: ScheduleOptions,
): Schedule {
  return scheduleBy(wallClock, role, pattern, job, options);
}

/** Like {@link schedule}, by another clock. */
export function scheduleBy(
  clock: WallClock,
  role: Role,
  pattern: string,
  job: Job,
  options: ScheduleOptions,
): Schedule {
  checkSchedule(job, options);
  const cron = parse(pattern, options);
  const outcomes = new Subject<TickOutcome>();
  const stop = new AbortController();
  const { name } = options;
  const ticks: Ticks = {
    clock,
    cron,
    job,
    options,
    graceMs: options.graceMs ?? graceMsOf(role),
    claims: new TickClaims(role, name, options.store ?? ticksOf(role), clock),
    report: reporter(name, outcomes),
    claimedAhead: claimedAheadWarner(name, cron, clock),
  };
  const done = role
    .lead((term) => runTicks(ticks, term), { signal: stop.signal })
    .finally(() => outcomes.complete());
  // It is also returned: without this, an application that does not await it would exit.
  done.catch(() => undefined);
  return {
    next: () => cron.nextRun(new Date(clock.now())) ?? undefined,
    outcomes$: outcomes.asObservable(),
    done,
    close() {
      stop.abort();
      return jobs.callers().includes(ticks) ? Promise.resolve() : done.catch(() => undefined);
    },
  };
}

interface Ticks {
  readonly clock: WallClock;
  readonly cron: Cron;
  readonly job: Job;
  readonly options: ScheduleOptions;
  readonly graceMs: number;
  readonly claims: TickClaims;
  readonly report: (outcome: TickOutcome) => void;
  /** Warns if this claimed time lies far ahead. */
  readonly claimedAhead: (claimed: number) => void;
}

/** The runs of jobs, by their schedules: one that awaits the end of its own would wait for itself. */
const jobs = new CallScopes<Ticks>();

/** Runs the ticks of one term. */
async function runTicks(ticks: Ticks, term: Term): Promise<void> {
  const { clock, cron, graceMs, claims } = ticks;
  let after = await firstAfter(ticks, term);
  // Ticks that fell into the change of the leader are not missed.
  let missedBefore = clock.now() - graceMs;
  while (!term.signal.aborted) {
    after = await runMissed(ticks, term, { after, missedBefore });
    missedBefore = Number.POSITIVE_INFINITY;
    const next = nextAfter(cron, after);
    if (next === undefined) break;
    while (clock.now() < next && !term.signal.aborted) {
      ticks.claimedAhead(after);
      await clock.sleep(Math.min(next - clock.now(), sleepMsMax), term.signal);
    }
    if (term.signal.aborted) break;
    after = await claimAndRun(ticks, term, { at: next, isLate: false });
  }
  claims.release();
}

/**
 * Returns the time after which ticks are due. The first leader of all claims the instant before its
 * first tick, so that the next leader knows which ticks were missed.
 */
async function firstAfter({ clock, cron, claims }: Ticks, term: Term): Promise<number> {
  const latest = await claims.latest(term.signal);
  if (latest === 'unknown') return clock.now();
  if (latest !== undefined) return latest;
  const now = clock.now();
  const start = (nextAfter(cron, now) ?? now) - 1;
  const claim = await claims.claim(term, start, Number.POSITIVE_INFINITY);
  return claim.kind === 'taken' ? claim.latest : start;
}

/** Runs or reports the ticks that were due after `after`, and returns the latest of them. */
async function runMissed(
  ticks: Ticks,
  term: Term,
  { after, missedBefore }: { readonly after: number; readonly missedBefore: number },
): Promise<number> {
  const { missed = 'skip' } = ticks.options;
  const due = missedTicks(ticks, after);
  const old = due.filter((at) => at < missedBefore);
  const runs = { skip: 0, latest: old.length === due.length ? 1 : 0, all: missedMaxOf(ticks) };
  const firstRun = Math.max(0, old.length - runs[missed]);
  let latest = await skip(ticks, term, due.slice(0, firstRun), after);
  for (const at of due.slice(firstRun)) {
    if (term.signal.aborted || at <= latest) continue;
    latest = await claimAndRun(ticks, term, { at, isLate: at < missedBefore });
  }
  return latest;
}

/**
 * Returns the ticks that were due after `after`: the latest `missedMax` ones, and the first one if
 * there are more.
 */
function missedTicks(ticks: Ticks, after: number): readonly number[] {
  const { clock, cron } = ticks;
  const now = clock.now();
  const fewMax = Math.min(fewTicks, missedMaxOf(ticks));
  const first = nextAfter(cron, after);
  if (first === undefined) return [];
  const due: number[] = [];
  // Forward first: usually few ticks are missed, and each costs up to 0.2 ms in a time zone.
  for (
    let at: number | undefined = first;
    at !== undefined && at <= now;
    at = nextAfter(cron, at)
  ) {
    if (due.length === fewMax) return manyMissed(ticks, now, first);
    due.push(at);
  }
  return due;
}

/** The number of missed ticks that the schedule looks up one by one. */
const fewTicks = 32;

/** Returns the first missed tick, and the latest `missedMax` ones until `now`. */
function manyMissed(ticks: Ticks, now: number, first: number): readonly number[] {
  // previousRuns excludes the instant that it is given.
  const latest = ticks.cron
    .previousRuns(missedMaxOf(ticks), new Date(now + 1))
    .map((date) => date.getTime())
    .filter((at) => at > first)
    .sort((a, b) => a - b);
  return [first, ...latest];
}

function missedMaxOf({ options: { missedMax = missedMaxDefault } }: Ticks): number {
  return missedMax;
}

/** Claims the latest of these ticks and reports all as missed. Returns the latest claimed time. */
async function skip(
  { claims, graceMs, report }: Ticks,
  term: Term,
  skipped: readonly number[],
  after: number,
): Promise<number> {
  const latest = skipped.at(-1);
  if (latest === undefined) return after;
  // Without the claim, the next leader would find and report them again.
  const claim = await claims.claim(term, latest, graceMs);
  if (claim.kind === 'taken') return claim.latest;
  const because =
    claim.kind === 'missed' ? claim : ({ kind: 'missed', reason: 'not-led' } as const);
  for (const at of skipped) report({ ...because, at: new Date(at) });
  return latest;
}

const missedMaxDefault = 1000;

/** Claims a tick and runs its job. Returns the latest claimed time. */
async function claimAndRun(
  ticks: Ticks,
  term: Term,
  { at, isLate }: { readonly at: number; readonly isLate: boolean },
): Promise<number> {
  const { claims, graceMs, job, report } = ticks;
  const { missed = 'skip' } = ticks.options;
  const date = new Date(at);
  const forMs = missed === 'skip' ? graceMs : Number.POSITIVE_INFINITY;
  const claim = await claims.claim(term, at, forMs);
  if (claim.kind === 'taken') return claim.latest;
  if (claim.kind === 'missed') {
    // Without a claim, the successor runs the tick, or reports it.
    if (claim.reason !== 'term-ended' || !('error' in claim)) report({ ...claim, at: date });
    return at;
  }
  const tick: Tick = { at: date, isLate, term, signal: term.signal };
  try {
    await jobs.inside(ticks, async () => await job(tick));
    report({ kind: 'ran', at: date, isLate });
  } catch (error) {
    report({ kind: 'failed', at: date, isLate, error });
  }
  return at;
}

/** Sends outcomes to the observable, and a warning to the process for the first of failed ticks. */
function reporter(name: string, outcomes: Subject<TickOutcome>): (outcome: TickOutcome) => void {
  let isFailing = false;
  return (outcome) => {
    if (outcome.kind === 'failed' && !isFailing)
      process.emitWarning(
        `schedule "${name}": the job of ${outcome.at.toISOString()} failed: ${messageOf(outcome.error)}; the next tick runs as usual`,
        { type: 'LeadershipWarning', code: 'LEADERSHIP_JOB_FAILED' },
      );
    if (outcome.kind !== 'missed') isFailing = outcome.kind === 'failed';
    outcomes.next(outcome);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parse(pattern: string, { name, timezone, missed, missedMax }: ScheduleOptions): Cron {
  check(
    missed === undefined || ['skip', 'latest', 'all'].includes(missed),
    `schedule "${name}": missed must be skip, latest or all, not ${missed}`,
  );
  check(
    missedMax === undefined || (Number.isSafeInteger(missedMax) && missedMax > 0),
    `schedule "${name}": missedMax must be a positive whole number, not ${missedMax}`,
  );
  try {
    const cron = new Cron(pattern, { paused: true, ...(timezone !== undefined && { timezone }) });
    // An invalid time zone is noticed only here.
    cron.nextRun();
    return cron;
  } catch (error) {
    throw new LeadershipError(
      'invalid-options',
      `schedule "${name}": pattern "${pattern}"${timezone === undefined ? '' : ` in ${timezone}`}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
