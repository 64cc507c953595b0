import { Subscription } from 'rxjs';
import type { Leadership } from '../contract/leadership.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { LeadOptions, Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { fromHere } from '../process/work-scope.ts';
import { checkLead } from './check-work.ts';
import { deferred } from './deferred.ts';
import { obeyed } from './obeyed.ts';
import { runWork } from './run-work.ts';
import type { Stream } from './stream.ts';

/** What leading a partition needs of the source. */
export interface LeadWorld {
  readonly thresholdMs: number;
  readonly random: () => number;
  readonly leadership: Stream<Leadership>;
  resign(abstainMs: number): Promise<void>;
  trouble(code: LeadershipErrorCode, message: string, cause: unknown): Disposable;
}

/** The longest back-off after work that threw, in T. */
const backOffThresholdsMax = 20;

/** Runs `work` once per term until the signal aborts or the source closes, and then waits for what still runs. */
export async function lead(world: LeadWorld, work: Work, { signal, onThrow = 'retry' }: LeadOptions): Promise<void> {
  checkLead(work, signal, onThrow);
  if (signal?.aborted) return;
  const runs = new Set<Promise<void>>();
  const over = deferred<void>();
  const failures = failuresOf(world);
  const thrown: { readonly error: unknown }[] = [];
  const subscription = new Subscription();
  const stop = (): void => {
    subscription.unsubscribe();
    over.resolve();
  };
  const fail = (error: unknown, term: Term): void => {
    if (obeyed(error, term)) return;
    const abstainMs = failures.add(error, term);
    if (!subscription.closed && term.isCurrent()) world.resign(abstainMs).catch(() => undefined);
    if (onThrow === 'retry') return;
    thrown.push({ error });
    stop();
  };
  const begin = fromHere((term: Term): void => {
    failures.mend();
    const run = runWork(term, work)?.then(failures.reset, (error: unknown) => fail(error, term));
    if (run === undefined) return;
    runs.add(run);
    void run.then(() => runs.delete(run));
  });
  const hear = (leadership: Leadership): void => {
    if (leadership.state === 'leading') begin(leadership.term);
    if (leadership.state === 'refused') thrown.push({ error: leadership.error });
  };
  subscription.add(world.leadership.value$.subscribe({ next: hear, complete: stop }));
  signal?.addEventListener('abort', stop, { once: true });
  await over.promise;
  signal?.removeEventListener('abort', stop);
  if (thrown.length === 0) await Promise.all(runs);
  failures.mend();
  for (const { error } of thrown) throw error;
}

/** The same in each of several partitions. Where one rejects, all stop. */
export async function leadEach(worlds: readonly LeadWorld[], work: Work, options: LeadOptions): Promise<void> {
  const failed = new AbortController();
  const signal = manyListeners(options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal);
  try {
    await Promise.all(worlds.map((world) => lead(world, work, { ...options, signal })));
  } finally {
    failed.abort();
  }
}

/** Work that throws again and again: how long to leave the partition to others, and what to tell about it. */
function failuresOf({ thresholdMs, random, trouble }: LeadWorld): {
  add(error: unknown, term: Term): number;
  mend(): void;
  reset(): void;
} {
  let count = 0;
  let told: Disposable | undefined;
  const mend = (): void => {
    told?.[Symbol.dispose]();
    told = undefined;
  };
  return {
    add(error, term) {
      const abstainMs = Math.min(2 ** count, backOffThresholdsMax) * thresholdMs * (0.5 + random() / 2);
      count += 1;
      mend();
      const what = error instanceof Error ? error.message : String(error);
      told = trouble(
        'work-failed',
        `work threw in partition ${term.partition}: ${what}; it is left to others for ${Math.round(abstainMs)} ms at least`,
        error,
      );
      return abstainMs;
    },
    mend,
    reset() {
      count = 0;
      mend();
    },
  };
}
