import { filter, firstValueFrom, type Observable, Subject, throwError, timeout } from 'rxjs';
import type { Environment } from './environment.ts';
import type { MemberHandle } from './member-handle.ts';
import type { MemberMessage } from './member-message.ts';

/** A message and the member that sent it. */
export interface SentMessage {
  readonly member: string;
  readonly message: MemberMessage;
}

/** The running members. Disposing crashes those that still run. */
export class Members implements AsyncDisposable {
  readonly #environment: Environment;
  readonly #thresholdMs: number;
  readonly #signal: AbortSignal;
  readonly #handles = new Map<string, MemberHandle>();
  readonly #messages = new Subject<SentMessage>();

  constructor(environment: Environment, thresholdMs: number, signal: AbortSignal) {
    this.#environment = environment;
    this.#thresholdMs = thresholdMs;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#messages.error(signal.reason), { once: true });
  }

  /** The messages of all members. Errors if a member ends unexpectedly or the demo is interrupted. */
  get messages$(): Observable<SentMessage> {
    return this.#messages.asObservable();
  }

  start(member: string): MemberHandle {
    this.#signal.throwIfAborted();
    const handle = this.#environment.start(
      { url: this.#environment.url, member, thresholdMs: this.#thresholdMs },
      (message) => this.#messages.next({ member, message }),
    );
    this.#handles.set(member, handle);
    void handle.exited.then((why) => {
      if (this.#handles.get(member) === handle) this.#handles.delete(member);
      if (why !== undefined) this.#messages.error(new Error(why));
    });
    return handle;
  }

  /** The names of the members that run. */
  get names(): readonly string[] {
    return [...this.#handles.keys()];
  }

  handle(member: string): MemberHandle {
    const handle = this.#handles.get(member);
    if (handle === undefined) throw new Error(`${member} is not running`);
    return handle;
  }

  /**
   * Resolves with the next message that matches. Rejects if none arrives within `withinMs`; the error
   * begins with `what`.
   */
  next(
    matches: (from: SentMessage) => boolean,
    withinMs: number,
    what: string,
  ): Promise<SentMessage> {
    const late = throwError(() => new Error(`${what} within ${Math.round(withinMs)} ms`));
    return firstValueFrom(
      this.#messages.pipe(filter(matches), timeout({ first: withinMs, with: () => late })),
    );
  }

  /** Closes every member in order and waits until all have ended. */
  async close(): Promise<void> {
    const handles = [...this.#handles.values()];
    for (const handle of handles) handle.send('close');
    await Promise.all(handles.map(({ exited }) => exited));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const handles = [...this.#handles.values()];
    for (const handle of handles) handle.crash();
    await Promise.all(handles.map(({ exited }) => exited));
  }
}
