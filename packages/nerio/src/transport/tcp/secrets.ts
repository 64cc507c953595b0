import { LeadershipError } from '@leadership/core';
import { answerOf } from '../../callback.ts';
import { type Keyring, keyringOf, type NerioKeys } from '../frames/keyring.ts';
import type { TcpSettings } from './options.ts';
import { checkTls, type NerioTls } from './tls.ts';

/** What a member shows and accepts at the moment. Asked for again and again, for both may be renewed while it runs. */
export class Secrets {
  readonly #settings: Pick<TcpSettings, 'keys' | 'tls'>;
  #keyring: Keyring | undefined;
  #tls: NerioTls | undefined;

  /**
   * Nothing was had before: without them there is no member, least of all one that speaks in the clear.
   * @throws LeadershipError `unauthorized` where they cannot be had, `invalid-options` where they are none; says which
   */
  constructor(settings: Pick<TcpSettings, 'keys' | 'tls'>) {
    this.#settings = settings;
    this.#keyring = settings.keys && keyringFrom(settings.keys);
    this.#tls = settings.tls && tlsFrom(settings.tls);
  }

  get keyring(): Keyring | undefined {
    return this.#keyring;
  }

  get tls(): NerioTls | undefined {
    return this.#tls;
  }

  /** Asks for them. What cannot be had, or used, leaves that of before. */
  renew(): LeadershipError | undefined {
    const { keys, tls } = this.#settings;
    const errors = [
      kept(() => {
        this.#keyring = keys && keyringFrom(keys);
      }),
      kept(() => {
        this.#tls = tls && tlsFrom(tls);
      }),
    ];
    return errors.find((error) => error !== undefined);
  }
}

/**
 * Checks that they can be had, before anything is opened with them.
 * @throws LeadershipError `unauthorized`, `invalid-options`
 */
export function checkSecrets({ keys, tls }: Pick<TcpSettings, 'keys' | 'tls'>): void {
  if (keys) keyringFrom(keys);
  if (tls) tlsFrom(tls);
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

function keyringFrom(keys: () => NerioKeys): Keyring {
  return keyringOf(secretOf('keys', keys));
}

function tlsFrom(tls: () => NerioTls): NerioTls {
  const latest = secretOf('tls', tls);
  checkTls(latest);
  return latest;
}

function secretOf<T>(name: 'keys' | 'tls', ask: () => T): T {
  const answer = answerOf(name, ask);
  if (answer instanceof Error) throw new LeadershipError('unauthorized', answer.message, { cause: answer.cause ?? answer });
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new LeadershipError('invalid-options', `${name}() returned ${String(answer)}: it must return what ${name} may be, each time`);
}
