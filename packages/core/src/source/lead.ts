import { type Observable, Subscription } from 'rxjs';
import { type Deferred, deferred } from '../async/deferred.ts';
import type { Leader } from '../contract/leader.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import { messageOf } from '../contract/message-of.ts';
import type { LeadOptions, Work } from '../contract/role.ts';
import type { Term } from '../contract/term.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { onAbort } from '../process/on-abort.ts';
import { fromHere, leadsInside } from '../process/work-scope.ts';
import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';
import { checkLead } from './check-work.ts';
import type { HealthTracker } from './health-tracker.ts';
import type { Leaders } from './leaders.ts';
import { runWork } from './run-work.ts';
import type { Stream } from './stream.ts';
import { termForWork } from './term-for-work.ts';

/** What leading a partition needs from the source. */
export interface LeadContext {
  readonly clock: Clock;
  readonly thresholdMs: number;
  readonly random: () => number;
  readonly states: Stream<Leadership>;
  leader$(): Observable<Leader | undefined>;
  resign(abstainMs: number): Promise<void>;
  trouble(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
}

/** Returns the context of a partition of a source, single or combined. */
export function leadContextOf(
  { partition, states }: { readonly partition: number; readonly states: Stream<Leadership> },
  { clock, random, thresholdMs }: Pick<LeadContext, 'clock' | 'random' | 'thresholdMs'>,
  { leaders, healthTracker }: { readonly leaders: Leaders; readonly healthTracker: HealthTracker },
  resign: LeadContext['resign'],
): LeadContext {
  return {
    ...{ clock, thresholdMs, random, states, resign },
    leader$: () => leaders.leader$(partition),
    trouble: (code, message, cause) => healthTracker.trouble({ code, message, cause, partition }),
  };
}

/** The longest back-off after work that threw, in T. */
const backOffThresholdsMax = 20;

/**
 * Runs `work` once per term until the signal aborts or the source closes, then waits for the
 * running work.
 */
export async function lead(context: LeadContext, work: Work, options: LeadOptions): Promise<void> {
  checkLead(work, options);
  await leadChecked(context, work, options);
}

async function leadChecked(context: LeadContext, work: Work, options: LeadOptions): Promise<void> {
  if (options.signal?.aborted) return;
  using _inside = leadsInside();
  await new Leading(context, work, options).settled();
}

/** Runs `work` in each of several partitions. If one rejects, all stop. */
export async function leadEach(
  contexts: readonly LeadContext[],
  work: Work,
  options: LeadOptions,
): Promise<void> {
  checkLead(work, options);
  const stop = new AbortController();
  const signal = manyListeners(stop.signal);
  using _stopping = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  try {
    const each = { ...options, signal };
    await Promise.all(contexts.map((context) => leadChecked(context, work, each)));
  } finally {
    stop.abort();
  }
}

/** The state of one call of `lead`. */
class Leading {
  readonly #context: LeadContext;
  readonly #work: Work;
  readonly #options: LeadOptions;
  readonly #failures: Failures;
  readonly #runs = new Set<Promise<void>>();
  readonly #thrown: { readonly error: unknown }[] = [];
  readonly #over: Deferred<void> = deferred();
  readonly #subscription = new Subscription();
  readonly #begin: (term: Term) => void;
  /**
   * The trouble that work of an earlier term still runs while the work of the current term waits
   * for it.
   */
  #blocked: Disposable | undefined;

  constructor(context: LeadContext, work: Work, options: LeadOptions) {
    this.#context = context;
    this.#work = work;
    this.#options = options;
    this.#failures = failuresOf(context);
    this.#begin = fromHere((term: Term) => this.#run(term));
  }

  async settled(): Promise<void> {
    const stop = (): void => this.#stop();
    const next = (leadership: Leadership): void => this.#receive(leadership);
    this.#subscription.add(this.#context.states.value$.subscribe({ next, complete: stop }));
    using _listening = onAbort(this.#options.signal, stop);
    await this.#over.promise;
    if (this.#thrown.length === 0) await Promise.all(this.#runs);
    this.#failures.mend();
    for (const { error } of this.#thrown) throw error;
  }

  #stop(): void {
    this.#subscription.unsubscribe();
    this.#unblock();
    this.#over.resolve();
  }

  #receive(leadership: Leadership): void {
    this.#unblock();
    if (leadership.state === 'refused') this.#thrown.push({ error: leadership.error });
    if (leadership.state !== 'leading') return;
    const { term } = leadership;
    if (this.#runs.size === 0 || this.#options.overlap === true) return this.#begin(term);
    const sentence = `the work of an earlier term still runs; that of term ${term.token} begins once it has settled`;
    this.#blocked = this.#context.trouble(
      'work-failed',
      `partition ${term.partition}: ${sentence}`,
    );
  }

  #run(term: Term): void {
    const seen = termForWork(term, this.#options.signal);
    this.#failures.mend();
    const run = runWork(term, this.#work, seen)?.then(this.#failures.reset, (error: unknown) =>
      this.#fail(error, seen),
    );
    if (run === undefined) return;
    this.#runs.add(run);
    void run.then(() => this.#settle(run));
  }

  /** Starts the work that had to wait for this run, in the term that is current now. */
  #settle(run: Promise<void>): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0 || this.#blocked === undefined) return;
    this.#unblock();
    const { value } = this.#context.states;
    if (value.state === 'leading') this.#begin(value.term);
  }

  #unblock(): void {
    this.#blocked?.[Symbol.dispose]();
    this.#blocked = undefined;
  }

  #fail(error: unknown, term: Term): void {
    if (isAbortRejection(error, term)) return;
    const abstainMs = this.#failures.add(error, term);
    if (!this.#subscription.closed && term.isCurrent())
      this.#context.resign(abstainMs).catch(() => undefined);
    if (this.#options.onThrow !== 'reject') return;
    this.#thrown.push({ error });
    this.#stop();
  }
}

interface Failures {
  add(error: unknown, term: Term): number;
  readonly mend: () => void;
  readonly reset: () => void;
}

/** Tracks work that throws repeatedly: computes the abstention, and reports the trouble. */
function failuresOf({ clock, thresholdMs, random, leader$, trouble }: LeadContext): Failures {
  let count = 0;
  let reported: Disposable | undefined;
  let backOff: (Disposable & { unref?(): void }) | undefined;
  let watching: Subscription | undefined;
  const mend = (): void => {
    backOff?.[Symbol.dispose]();
    backOff = undefined;
    watching?.unsubscribe();
    watching = undefined;
    reported?.[Symbol.dispose]();
    reported = undefined;
  };
  return {
    add(error, term) {
      const abstainMs =
        Math.min(2 ** count, backOffThresholdsMax) * thresholdMs * (0.5 + random() / 2);
      count += 1;
      mend();
      reported = trouble(
        'work-failed',
        `work threw in partition ${term.partition}: ${messageOf(error)}; this member does not claim it again for at least ${Math.round(abstainMs)} ms`,
        error,
      );
      // This member may never run the work again: the trouble ends as soon as it may claim, or
      // another member leads.
      backOff = clock.wake(after(clock.now(), abstainMs), mend);
      backOff.unref?.();
      watching = new Subscription();
      watching.add(leader$().subscribe((leader) => leader?.self === false && mend()));
      return abstainMs;
    },
    mend,
    reset() {
      count = 0;
      mend();
    },
  };
}

/**
 * Returns whether work rejected only because a signal of its term aborted, as `fetch(url, { signal
 * })` does.
 */
function isAbortRejection(error: unknown, { signal, fenced }: Term): boolean {
  const reasons = [signal, fenced]
    .filter(({ aborted }) => aborted)
    .map(({ reason }) => reason as unknown);
  if (reasons.length === 0) return false;
  return (
    reasons.includes(error) ||
    (error instanceof Error && (error.name === 'AbortError' || reasons.includes(error.cause)))
  );
}
