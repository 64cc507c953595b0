import { LeadershipError } from '@leadership/core';
import { answerOf } from '../../callback.ts';
import { type Keyring, keyringOf, type NerioKeys } from '../frames/keyring.ts';
import type { TcpSettings } from './options.ts';
import { checkShape, checkTls, markOf, type NerioTls } from './tls.ts';

/** What connections must have been made with to go on. */
export interface InForce {
  readonly keyring: Keyring | undefined;
  /** Stands for the certificates; `undefined` without TLS. */
  readonly tlsMark: string | undefined;
}

/** What a member shows and accepts at the moment. Asked for again and again, for both may be renewed while it runs. */
export class Secrets implements InForce {
  readonly #settings: Pick<TcpSettings, 'keys' | 'tls'>;
  #keyring: Keyring | undefined;
  #tls: NerioTls | undefined;
  #tlsMark: string | undefined;

  /**
   * Nothing was had before: without them there is no member, least of all one that speaks in the clear.
   * @throws LeadershipError `unauthorized` where they cannot be had, `invalid-options` where they are none; says which
   */
  constructor(settings: Pick<TcpSettings, 'keys' | 'tls'>) {
    this.#settings = settings;
    if (settings.keys) this.#renewKeys(settings.keys);
    if (settings.tls) this.#renewTls(settings.tls);
  }

  get keyring(): Keyring | undefined {
    return this.#keyring;
  }

  get tls(): NerioTls | undefined {
    return this.#tls;
  }

  get tlsMark(): string | undefined {
    return this.#tlsMark;
  }

  /** Asks for them. What cannot be had, or used, leaves that of before, and is told. */
  renew(): { readonly keys: LeadershipError | undefined; readonly tls: LeadershipError | undefined } {
    const { keys, tls } = this.#settings;
    return { keys: keys && kept(() => this.#renewKeys(keys)), tls: tls && kept(() => this.#renewTls(tls)) };
  }

  #renewKeys(ask: () => NerioKeys): void {
    this.#keyring = keyringOf(secretOf('keys', ask));
  }

  /** Judged by what is in them: a function may return another object each time, or the same one with something else in it. */
  #renewTls(ask: () => NerioTls): void {
    const latest = secretOf('tls', ask);
    checkShape(latest);
    checkSameRule(this.#tls, latest);
    const mark = markOf(latest);
    if (mark !== this.#tlsMark) checkTls(latest);
    this.#tls = { ...latest };
    this.#tlsMark = mark;
  }
}

/**
 * Checks that they can be had, before anything is opened with them. Certificates that callers need not show prove nothing of a caller.
 * @throws LeadershipError `unauthorized`, `invalid-options`
 */
export function withSecrets(settings: TcpSettings): TcpSettings {
  const { keyring, tls } = new Secrets(settings);
  const isProved = keyring !== undefined || (tls !== undefined && tls.mutual !== false);
  return { ...settings, isLocal: settings.isLocal && !isProved };
}

function kept(renew: () => void): LeadershipError | undefined {
  try {
    renew();
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return new LeadershipError('unauthorized', `${why}; what was had before is kept, and asked for again`, { cause: error });
  }
}

/** A server asks its callers for certificates, or does not, for as long as it listens. */
function checkSameRule(before: NerioTls | undefined, { mutual = true }: NerioTls): void {
  if (before === undefined || (before.mutual ?? true) === mutual) return;
  throw new LeadershipError('invalid-options', `tls().mutual was ${!mutual} and is ${mutual}: it cannot change while a member runs`);
}

function secretOf<T>(name: 'keys' | 'tls', ask: () => T): T {
  const answer = answerOf(name, ask);
  if (answer instanceof Error) throw new LeadershipError('unauthorized', answer.message, { cause: answer.cause ?? answer });
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new LeadershipError('invalid-options', `${name}() returned ${String(answer)}: it must return what ${name} may be, each time`);
}
