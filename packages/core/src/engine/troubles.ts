import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/**
 * The current troubles, at most one per source. Raising a trouble replaces the previous one of that
 * source; mending removes it. The same message from several sources, as when a store is unreachable
 * for all partitions, is reported once.
 */
export class Troubles {
  readonly #host: Host;
  readonly #messages = new Map<string, string>();
  /** By message: the reported trouble and the number of sources that raised it. */
  readonly #told = new Map<string, { readonly trouble: Disposable; count: number }>();

  constructor(host: Host) {
    this.#host = host;
  }

  /**
   * Reports the error to the host, unless another source has reported the same message. Removes
   * whatever this source raised before.
   */
  raise(source: string, error: unknown): void {
    const { code, message } = toLeadershipError(error);
    if (this.#messages.get(source) === message) return;
    this.mend(source);
    this.#messages.set(source, message);
    const told = this.#told.get(message);
    if (told) told.count += 1;
    else this.#told.set(message, { trouble: this.#host.trouble(code, message, error), count: 1 });
  }

  /** Returns whether this source has a trouble. */
  has(source: string): boolean {
    return this.#messages.has(source);
  }

  /**
   * Calls adapter code that must not throw. If it throws, the error is a trouble until the next
   * successful call.
   */
  attempt(source: string, call: () => void): void {
    try {
      call();
      this.mend(source);
    } catch (error) {
      this.raise(source, error);
    }
  }

  /**
   * Notes that the store answered this source: confirms the store to the host and mends the source.
   */
  confirm(source: string): void {
    this.#host.confirmed();
    this.mend(source);
  }

  /**
   * Removes the trouble of this source. The host's trouble ends once no source with that message
   * remains.
   */
  mend(source: string): void {
    const message = this.#messages.get(source);
    if (message === undefined) return;
    this.#messages.delete(source);
    const told = this.#told.get(message);
    if (told === undefined) return;
    told.count -= 1;
    if (told.count > 0) return;
    this.#told.delete(message);
    told.trouble[Symbol.dispose]();
  }
}

/** Converts an adapter's error to a `LeadershipError`. Any other error counts as `unreachable`. */
export function toLeadershipError(error: unknown): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LeadershipError('unreachable', `the store did not answer: ${message}`, {
    cause: error,
  });
}

/** Returns the name of the trouble source for reads of one register. */
export function reading(partition: number): string {
  return `read ${partition}`;
}

/** Returns the name of the trouble source for writes to one register. */
export function writing(partition: number): string {
  return `write ${partition}`;
}
