// The processes of the demo: starts, kills and ends them, and merges their events.
import { filter, firstValueFrom, type Observable, Subject, throwError, timeout } from 'rxjs';
import type { DemoGroup } from './group.ts';
import type { RunEvent } from './run-event.ts';
import { RunProcess } from './run-process.ts';

/** An event and the member that it is about. */
export interface MemberEvent {
  readonly member: string;
  readonly event: RunEvent;
}

/** The running members. Disposing ends those that still run. */
export class Members implements AsyncDisposable {
  readonly #urlOf: (member: string) => string;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, RunProcess>();
  readonly #events = new Subject<MemberEvent>();

  constructor(group: DemoGroup, thresholdMs: number, signal: AbortSignal) {
    this.#urlOf = (member) => memberUrl(group, thresholdMs, member);
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#events.error(signal.reason), { once: true });
  }

  /** The events of all members. Errors if a member ends unexpectedly or the demo is interrupted. */
  get events$(): Observable<MemberEvent> {
    return this.#events.asObservable();
  }

  start(member: string): RunProcess {
    this.#signal.throwIfAborted();
    const started = new RunProcess(member, this.#urlOf(member), (event) =>
      this.#events.next({ member, event }),
    );
    this.#running.set(member, started);
    void started.exited.then((why) => {
      if (this.#running.get(member) === started) this.#running.delete(member);
      if (why !== undefined) this.#events.error(new Error(why));
    });
    return started;
  }

  process(member: string): RunProcess {
    const running = this.#running.get(member);
    if (running === undefined) throw new Error(`${member} is not running`);
    return running;
  }

  /**
   * Returns the longest time that one member has waited for a processor since the previous call, in
   * milliseconds. The maximum counts, because a successor may have to wait for the claim of another.
   */
  takeWaitedMs(): number {
    return Math.max(0, ...[...this.#running.values()].map((one) => one.takeWaitedMs()));
  }

  /**
   * Resolves with the next event that matches. Rejects if there is none within `withinMs`; the error
   * begins with `what`.
   */
  next(
    matches: (from: MemberEvent) => boolean,
    withinMs: number,
    what: string,
  ): Promise<MemberEvent> {
    const late = throwError(() => new Error(`${what} within ${Math.round(withinMs)} ms`));
    return firstValueFrom(
      this.#events.pipe(filter(matches), timeout({ first: withinMs, with: () => late })),
    );
  }

  /** Ends all members in order. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.end()));
  }
}

/** Returns the URL that a member opens. */
export function memberUrl(
  { url, addresses }: DemoGroup,
  thresholdMs: number,
  member: string,
): string {
  return `${url}&thresholdMs=${thresholdMs}&member=${addresses?.[member] ?? member}`;
}
