// Runs a job of another scheduler once per tick across all members.
import { LeadershipError, type Role, type Term } from '@leadership/core';
import { check } from '@leadership/core/adapter';
import { checkSchedule } from './check-schedule.ts';
import { sleepMsMax, type WallClock, wallClock } from './clock.ts';
import { ticksOf } from './row-ticks.ts';
import type { MissedReason, Tick } from './tick.ts';
import { graceMsOf, TickClaims } from './tick-claims.ts';
import type { TickStore } from './tick-store.ts';

/** Options for {@link oncePerTick}. */
export interface OncePerTickOptions {
  /** The name of the schedule in the store. All members must use the same. */
  readonly name: string;
  /**
   * Where claimed ticks are kept. All members must use the same store. Default: the group of the role,
   * as `rowTicks` keeps them.
   */
  readonly store?: TickStore;
  /** When the tick was due, as the pattern says: the same on all members. */
  readonly at: Date;
  /**
   * How long this member waits for the role if it does not lead, because the tick may fall into a
   * change of the leader. Milliseconds. Default: the longest fail-over of the source, as its
   * guarantees state it.
   */
  readonly graceMs?: number;
}

/**
 * Runs `job` for one tick of another scheduler, if this member leads `role` or begins to lead it
 * soon, and no member has claimed that tick or a later one. Resolves with the result of the job, or
 * with `undefined` if it does not run here. A tick that no member runs is a warning of the process.
 * An orderly hand-over waits for the job.
 *
 * Missed ticks are not caught up. `schedule` does that.
 *
 * @throws the error of the job; LeadershipError `unreachable` if the store failed all the time, and
 * `invalid-options`
 */
export function oncePerTick<T>(
  role: Role,
  job: (tick: Tick) => T | PromiseLike<T>,
  options: OncePerTickOptions,
): Promise<T | undefined> {
  return oncePerTickBy(wallClock, role, job, options);
}

/** Like {@link oncePerTick}, by another clock. */
async function oncePerTickBy<T>(
  clock: WallClock,
  role: Role,
  job: (tick: Tick) => T | PromiseLike<T>,
  options: OncePerTickOptions,
): Promise<T | undefined> {
  checkSchedule(job, options);
  const { name, store = ticksOf(role), at, graceMs = graceMsOf(role) } = options;
  check(
    at instanceof Date && Number.isFinite(at.getTime()),
    `schedule "${name}": at must be the Date at which the tick was due, not ${at}`,
  );
  const claims = claimsOf(role, name, store, clock);
  const until = clock.now() + graceMs;
  const run = async (term: Term): Promise<{ readonly value: T | undefined }> => {
    const claim = await claims.claim(term, at.getTime(), graceMs);
    if (claim.kind === 'claimed')
      return { value: await job({ at, isLate: false, term, signal: term.signal }) };
    if (claim.kind === 'missed') warn(name, at, claim.reason);
    if (claim.kind === 'missed' && claim.reason === 'store-failed') throw claim.error;
    return { value: undefined };
  };
  for (;;) {
    const waited = await untilLeading(role, until, clock);
    // The term may have begun to end since.
    const ran = waited === 'leads' ? await role.ifLeading(run) : undefined;
    if (ran !== undefined) return ran.value;
    if (waited === 'leads') continue;
    if (waited === 'elsewhere') await reportIfLost(claims, { name, at });
    claims.release();
    return undefined;
  }
}

/** Waits until this member leads the role, for at most as long. `over`: it never will. */
async function untilLeading(
  role: Role,
  until: number,
  clock: WallClock,
): Promise<'leads' | 'elsewhere' | 'over'> {
  const stop = new AbortController();
  let result: 'leads' | 'elsewhere' | 'over' = 'elsewhere';
  const subscription = role.leadership$.subscribe({
    next({ state }) {
      if (state !== 'leading') return;
      result = 'leads';
      stop.abort();
    },
    complete() {
      if (result === 'elsewhere') result = 'over';
      stop.abort();
    },
  });
  while (!stop.signal.aborted && clock.now() < until)
    await clock.sleep(Math.min(until - clock.now(), sleepMsMax), stop.signal);
  subscription.unsubscribe();
  return result;
}

/** Warns if no member has claimed the tick, although every member has waited for the role. */
async function reportIfLost(
  claims: TickClaims,
  { name, at }: { readonly name: string; readonly at: Date },
): Promise<void> {
  const latest = await claims.latest(AbortSignal.timeout(answerMs));
  if (latest === 'unknown' || (latest !== undefined && latest >= at.getTime())) return;
  warn(name, at, 'not-led');
}

/** How long a member that did not run a tick asks whether another one did. Milliseconds. */
const answerMs = 10_000;

const texts: Readonly<Record<MissedReason, string>> = {
  'not-led': 'no member led the role when it was due, nor within the grace after it',
  'term-ended': 'the term of the leader ended while the tick was claimed',
  'store-failed': 'the store of the ticks failed',
  'refused-by-token': 'the store of the ticks has seen a greater token than that of the leader',
};

function warn(name: string, at: Date, reason: MissedReason): void {
  process.emitWarning(`schedule "${name}": no member runs ${at.toISOString()}: ${texts[reason]}`, {
    type: 'LeadershipWarning',
    code: 'LEADERSHIP_TICK_MISSED',
  });
}

/** The claims by store and name, so that the trouble of a tick ends with the next one. */
const known = new WeakMap<TickStore, Map<string, TickClaims[]>>();

function claimsOf(role: Role, name: string, store: TickStore, clock: WallClock): TickClaims {
  if (typeof store !== 'object' || store === null)
    throw new LeadershipError('invalid-options', `schedule "${name}": store must be a TickStore`);
  const names = known.get(store) ?? new Map<string, TickClaims[]>();
  known.set(store, names);
  const claims = names.get(name) ?? [];
  names.set(name, claims);
  const found = claims.find((one) => one.serves(role));
  if (found !== undefined) return found;
  const created = new TickClaims(role, name, store, clock);
  claims.push(created);
  return created;
}
