// Logs a member in to etcd, and renews the token that its requests carry.
import { LeadershipError } from '@leadership/core';
import {
  CoolDown,
  type Host,
  openingMsOf,
  ReplyError,
  Shared,
  supplied,
  waitFor,
  withTimeout,
} from '@leadership/core/adapter';
import type { EtcdOptions } from './options.ts';

/** Sends the name and the password of the user to a server, and resolves with its answer. */
type SendLogin = (
  login: { readonly name: string; readonly password: string },
  signal: AbortSignal,
) => Promise<string>;

/** How a member authenticates. */
export interface AuthenticationParts
  extends Pick<EtcdOptions, 'user' | 'password' | 'token'>,
    Pick<Host, 'clock' | 'random'> {
  readonly thresholdMs: number;
  readonly send: SendLogin;
}

/**
 * The longest limit of one authentication. A server hashes the password of each client, which takes
 * it 50 ms to 1 s of a core, and after its restart all members wait for that. Milliseconds.
 */
const limitMsMax = 120_000;

/**
 * The token of a member. At most one authentication is in flight, and none ends because a request
 * does: a server computes an abandoned one to its end, so that members that begin again and again
 * would keep it busy for good.
 */
export class Authentication {
  readonly #parts: AuthenticationParts;
  readonly #token: Shared<string | undefined>;
  readonly #closed = new AbortController();
  readonly #pause: CoolDown;
  /** The limit of the next authentication. It doubles whenever it was too short. Milliseconds. */
  #limitMs: number;

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
    const { clock, random, thresholdMs } = parts;
    this.#limitMs = openingMsOf(thresholdMs);
    this.#pause = new CoolDown(clock, { firstMs: thresholdMs / 20, lastMs: thresholdMs, random });
    this.#token = new Shared(() => this.#renewed());
  }

  /** Whether a new token may differ from the last one. */
  get isRenewable(): boolean {
    const { user, token } = this.#parts;
    return user !== undefined || typeof token === 'function';
  }

  /**
   * Returns the token for a request; `undefined` without authentication. If its signal aborts, only
   * the request ends.
   */
  async current(signal: AbortSignal): Promise<string | undefined> {
    const { user } = this.#parts;
    const what =
      user === undefined ? 'the function token' : `the server to authenticate user "${user}"`;
    return waitFor(what, this.#token.get(), signal);
  }

  /** Forgets a token that a server refused, unless a new one was requested meanwhile. */
  async forget(refused: string | undefined): Promise<void> {
    const { current } = this.#token;
    if (current === undefined) return;
    const token = await current.catch(() => undefined);
    if (token === refused) this.#token.drop(current);
  }

  /** Returns the error of a request whose token the server refuses, also a new one. */
  refused(error: unknown): unknown {
    const { user, token } = this.#parts;
    const said = error instanceof Error ? error.message : String(error);
    if (user !== undefined)
      return new LeadershipError(
        'unreachable',
        `the server refuses the token that etcd has just given to user "${user}" (${said}): it has restarted, or lags behind the others; the member authenticates again`,
        { cause: error },
      );
    if (typeof token !== 'function') return error;
    return new LeadershipError(
      'unauthorized',
      `the token that the function token returned is not valid: return a current one (${said})`,
      { cause: error },
    );
  }

  /** Ends the authentication in flight. */
  close(): void {
    this.#closed.abort();
  }

  async #renewed(): Promise<string | undefined> {
    this.#pause.check();
    const { clock, user, thresholdMs } = this.#parts;
    const limitMs = this.#limitMs;
    let isLate = false;
    try {
      const limits = { clock, limitMs, signal: this.#closed.signal };
      const token = await withTimeout(limits, async (signal) => {
        signal.addEventListener('abort', () => {
          isLate = true;
        });
        return await this.#fetched(signal);
      });
      this.#pause.succeeded();
      this.#limitMs = openingMsOf(thresholdMs);
      return token;
    } catch (error) {
      if (isLate) this.#limitMs = Math.min(2 * limitMs, limitMsMax);
      const named = isLate && user !== undefined ? slowness(user, error) : error;
      // A server that answers has hashed the password for it.
      if (isLate || error instanceof ReplyError) this.#pause.failed(named);
      throw named;
    }
  }

  async #fetched(signal: AbortSignal): Promise<string | undefined> {
    const { user, password = '', token, send } = this.#parts;
    if (user === undefined)
      return token === undefined ? undefined : await supplied('token', 'string', token, signal);
    const login = { name: user, password: await supplied('password', 'string', password, signal) };
    try {
      return await send(login, signal);
    } catch (error) {
      if (error instanceof ReplyError && /not enabled/.test(error.message)) return undefined;
      throw error;
    }
  }
}

function slowness(user: string, cause: unknown): LeadershipError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new LeadershipError(
    'unreachable',
    `the server has not authenticated user "${user}" in time (${said}): it is busy, or hashes passwords slowly; lower --bcrypt-cost`,
    { cause },
  );
}
