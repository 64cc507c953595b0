import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/** What is wrong right now, one trouble per source of it: raising again replaces, mending takes back. */
export class Troubles {
  readonly #host: Host;
  readonly #open = new Map<string, { readonly message: string; readonly told: Disposable }>();

  constructor(host: Host) {
    this.#host = host;
  }

  raise(source: string, error: unknown): void {
    const { code, message } = toLeadershipError(error);
    if (this.#open.get(source)?.message === message) return;
    this.mend(source);
    this.#open.set(source, { message, told: this.#host.trouble(code, message, error) });
  }

  mend(source: string): void {
    this.#open.get(source)?.told[Symbol.dispose]();
    this.#open.delete(source);
  }
}

/** Errors of adapters are `LeadershipError`s already; anything else is a store that did not answer as it should. */
export function toLeadershipError(error: unknown): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LeadershipError('unreachable', `the store did not answer: ${message}`, { cause: error });
}
