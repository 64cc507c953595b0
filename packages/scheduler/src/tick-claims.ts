// Claims a tick in the store before its job runs, so that no tick runs twice.
import { LeadershipError, type Role, type Term } from '@leadership/core';
import { check } from '@leadership/core/adapter';
import { type RoleTools, roleToolsOf } from '@leadership/core/internal';
import type { WallClock } from './clock.ts';
import type { MissedReason } from './tick.ts';
import type { TickStore } from './tick-store.ts';

/** The outcome of a claim. */
export type Claim =
  | { readonly kind: 'claimed' }
  /** The tick or a later one was claimed before. `latest` is the latest claimed time. */
  | { readonly kind: 'taken'; readonly latest: number }
  /** Nobody runs the tick. */
  | { readonly kind: 'missed'; readonly reason: MissedReason; readonly error?: unknown };

/** The first and the longest pause before a failed call of the store is repeated. Milliseconds. */
const pauseMs = 100;
const pauseMsMax = 5000;

/** The grace for a role that this library did not create. Milliseconds. */
const graceMsDefault = 10_000;

/**
 * Returns how late a tick may be that still runs at its time: as late as a fail-over makes it, with
 * one poll. Milliseconds.
 */
export function graceMsOf(role: Role): number {
  return roleToolsOf(role)?.failoverMs ?? graceMsDefault;
}

type Attempt<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'store-failed'; readonly error: unknown };

/** The answer, and how an earlier call failed; or why there is none. */
type Repeated<T> =
  | { readonly kind: 'answer'; readonly value: T; readonly failed: unknown }
  | { readonly kind: 'store-failed' | 'term-ended'; readonly error: unknown };

/** The claims of one schedule in its store, with the trouble that they cause. */
export class TickClaims {
  readonly #name: string;
  readonly #store: TickStore;
  readonly #tools: RoleTools | undefined;
  readonly #clock: WallClock;
  #trouble:
    | { readonly kind: 'store' | 'token'; readonly message: string; readonly end: () => void }
    | undefined;

  /** @throws LeadershipError `invalid-options` if the store compares tokens that are not ordered */
  constructor(role: Role, name: string, store: TickStore, clock: WallClock) {
    this.#tools = roleToolsOf(role);
    const tokens = this.#tools?.guarantees.tokens ?? 'ordered';
    check(
      tokens === 'ordered' || store.token === undefined,
      `schedule "${name}": the store of its ticks compares tokens, but the tokens of this source are not ordered; use a source with exclusive leadership, or a store that does not compare tokens`,
    );
    this.#name = name;
    this.#store = answeringStore(store);
    this.#clock = clock;
    // Before this member first leads. If the store fails, the claims will report it.
    this.#exceedStore().catch(() => undefined);
  }

  /** Returns whether the troubles of these claims belong to that role. */
  serves(role: Role): boolean {
    return roleToolsOf(role)?.trouble === this.#tools?.trouble;
  }

  /**
   * Resolves with the latest claimed time, if there is one. Repeats a failed call until the signal
   * aborts; then it is `unknown`.
   */
  async latest(signal: AbortSignal): Promise<number | 'unknown' | undefined> {
    const answer = await this.#repeat(() => this.#store.latest(this.#name), signal);
    return answer.kind === 'answer' ? answer.value : 'unknown';
  }

  /**
   * Claims the tick `at` for a term. Repeats a failed call for `forMs` milliseconds, and no longer
   * than the term.
   */
  async claim(term: Term, at: number, forMs: number): Promise<Claim> {
    const store = this.#store;
    const answer = await this.#repeat(
      () => store.claim(this.#name, at, term.token),
      term.signal,
      this.#clock.now() + forMs,
    );
    if (answer.kind !== 'answer')
      return { kind: 'missed', reason: answer.kind, error: answer.error };
    if (answer.value) {
      this.#end();
      return term.isCurrent() ? { kind: 'claimed' } : { kind: 'missed', reason: 'term-ended' };
    }
    const latest = await this.latest(term.signal);
    // The store could not be asked again before the end of the term: the successor asks it.
    if (latest === 'unknown') return { kind: 'taken', latest: at };
    if (latest !== undefined && latest > at) return { kind: 'taken', latest };
    if (latest === at)
      // A claim whose answer was lost may be this member's own. To run the tick could run it twice.
      return answer.failed === undefined
        ? { kind: 'taken', latest }
        : { kind: 'missed', reason: 'store-failed', error: answer.failed };
    this.#raise(
      'token',
      `schedule "${this.#name}": the store of its ticks refuses the token ${term.token}, because it has seen a greater one, so no job runs in this term: a clock was ahead when that token was issued, or the group lost its tokens; resign the role or restart this member, and the next term has a greater token; if it is refused too, delete the claim of this schedule from the store`,
    );
    await this.#exceedStore().catch(() => undefined);
    return { kind: 'missed', reason: 'refused-by-token' };
  }

  /** Ends the trouble, because this member is not responsible for ticks any more. */
  release(): void {
    this.#end();
  }

  /** Makes the tokens of later terms exceed those that the store has accepted (T1). */
  async #exceedStore(): Promise<void> {
    const token = await this.#store.token?.(this.#name);
    if (token !== undefined) this.#tools?.exceed(token);
  }

  async #repeat<T>(
    call: () => PromiseLike<T>,
    signal: AbortSignal,
    until: number = Number.POSITIVE_INFINITY,
  ): Promise<Repeated<T>> {
    let failed: unknown;
    for (let waitMs = pauseMs; ; waitMs = Math.min(2 * waitMs, pauseMsMax)) {
      const answer = await this.#attempt(call);
      if (answer.kind === 'answer') return { ...answer, failed };
      failed = answer.error;
      const leftMs = until - this.#clock.now();
      if (leftMs <= 0) return answer;
      await this.#clock.sleep(Math.min(waitMs, leftMs), signal);
      if (signal.aborted) return { ...answer, kind: 'term-ended' };
    }
  }

  /** Calls the store once. A failure is a trouble until a call succeeds. */
  async #attempt<T>(call: () => PromiseLike<T>): Promise<Attempt<T>> {
    try {
      const value = await call();
      if (this.#trouble?.kind === 'store') this.#end();
      return { kind: 'answer', value };
    } catch (thrown) {
      const error = thrown ?? new Error('it rejected without an error');
      const because = `schedule "${this.#name}": the store of its ticks failed: ${messageOf(error)}`;
      this.#raise('store', `${because}; the call is repeated`, error);
      return { kind: 'store-failed', error };
    }
  }

  #raise(kind: 'store' | 'token', message: string, cause?: unknown): void {
    if (this.#trouble?.message === message) return;
    this.#end();
    if (this.#tools === undefined) process.emitWarning(message, warning);
    const trouble = this.#tools?.trouble('work-failed', message, cause);
    this.#trouble = { kind, message, end: () => trouble?.[Symbol.dispose]() };
  }

  #end(): void {
    this.#trouble?.end();
    this.#trouble = undefined;
  }
}

const warning = { type: 'LeadershipWarning', code: 'LEADERSHIP_TICKS' };

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The longest time that a call of a store may take, in milliseconds. It is shorter than the usual
 * drain time-out of 25 s, so that a hand-over need not be fenced because of a store.
 */
const answerMsMax = 20_000;

/**
 * Returns the store with a limit for each call: one that has no answer by then rejects. Many clients
 * wait for hours on a connection that was cut, and the schedule would silently stop meanwhile. A
 * claim that takes effect after all loses its tick, which no member runs.
 */
function answeringStore(store: TickStore): TickStore {
  return {
    ...(store.token && { token: (name) => answer(name, async () => await store.token?.(name)) }),
    latest: (name) => answer(name, () => store.latest(name)),
    claim: (name, at, token) => answer(name, () => store.claim(name, at, token)),
  };
}

function answer<T>(name: string, call: () => PromiseLike<T>): Promise<T> {
  // A store may also throw.
  const attempt = async (): Promise<T> => await call();
  return new Promise((resolve, reject) => {
    const tooLate = (): void =>
      reject(
        new LeadershipError(
          'unreachable',
          `schedule "${name}": the store of its ticks has not answered for ${answerMsMax / 1000} s; check that the store is reachable`,
        ),
      );
    const timer = setTimeout(tooLate, answerMsMax);
    void attempt()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
