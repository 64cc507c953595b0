// Reloads keys and certificates while a member runs, and closes connections of old ones.
import { LeadershipError } from '@leadership/core';
import { type Keyring, LoadedKeys, loadSecret, renewed } from '@leadership/peer';
import type { CheckedTcpOptions, TcpSettings } from './options.ts';
import { checkShape, checkTls, markOf, type NerioTls } from './tls.ts';

/** The keys and certificates with which a connection must have been opened. */
export interface InForce {
  readonly keyring: Keyring | undefined;
  /** A hash of the certificates; `undefined` without TLS. */
  readonly tlsMark: string | undefined;
}

/**
 * The member's current keys and certificates. They are loaded again and again, because both may be
 * renewed while it runs.
 */
export class Secrets implements InForce {
  readonly #settings: Pick<TcpSettings, 'keys' | 'tls'>;
  readonly #keys: LoadedKeys | undefined;
  #tls: NerioTls | undefined;
  #tlsMark: string | undefined;

  /**
   * Loads keys and certificates. A member never starts without the ones that it was configured
   * with, so that it never sends in the clear.
   * @throws LeadershipError `unauthorized` if they cannot be loaded, `invalid-options` if they are
   * not keys or certificates
   */
  constructor(settings: Pick<TcpSettings, 'keys' | 'tls'>) {
    this.#settings = settings;
    this.#keys = settings.keys && new LoadedKeys(settings.keys);
    if (settings.tls) this.#renewTls(settings.tls);
  }

  get keyring(): Keyring | undefined {
    return this.#keys?.keyring;
  }

  get tls(): NerioTls | undefined {
    return this.#tls;
  }

  get tlsMark(): string | undefined {
    return this.#tlsMark;
  }

  /** Loads both again. If that fails, the previous ones stay in use and the error is returned. */
  renew(): {
    readonly keys: LeadershipError | undefined;
    readonly tls: LeadershipError | undefined;
  } {
    const { tls } = this.#settings;
    return { keys: this.#keys?.renew(), tls: tls && renewed(() => this.#renewTls(tls)) };
  }

  /**
   * Compares the contents: a function may return a new object each time, or the same object with
   * new contents.
   */
  #renewTls(load: () => NerioTls): void {
    const latest = loadSecret('tls', load);
    checkShape(latest);
    checkSameRule(this.#tls, latest);
    const mark = markOf(latest);
    if (mark !== this.#tlsMark) checkTls(latest);
    this.#tls = { ...latest };
    this.#tlsMark = mark;
  }
}

/**
 * Loads keys and certificates once, before the transport opens. The transport stays on this host if
 * peers do not authenticate, unless `insecure` is true. If clients need not show a certificate, `tls`
 * does not authenticate them.
 * @throws LeadershipError `unauthorized`, `invalid-options`
 */
export function withSecrets({ insecure, ...settings }: CheckedTcpOptions): TcpSettings {
  const { keyring, tls } = new Secrets(settings);
  const isAuthenticated = keyring !== undefined || (tls !== undefined && tls.mutual !== false);
  return { ...settings, isLocal: !insecure && !isAuthenticated };
}

/**
 * `mutual` cannot change, because a server asks either all or none of its clients for certificates.
 */
function checkSameRule(before: NerioTls | undefined, { mutual = true }: NerioTls): void {
  if (before === undefined || (before.mutual ?? true) === mutual) return;
  throw new LeadershipError(
    'invalid-options',
    `tls().mutual was ${!mutual} and is ${mutual}: it cannot change while a member runs`,
  );
}
