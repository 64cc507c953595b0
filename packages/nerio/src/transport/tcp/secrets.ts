import { LeadershipError } from '@leadership/core';
import { type Keyring, keyringOf, type NerioKeys } from '../frames/keyring.ts';
import type { TcpSettings } from './options.ts';
import { checkTls, type NerioTls } from './tls.ts';

/** What a member shows and accepts at the moment. Asked for again and again, for both may be renewed while it runs. */
export class Secrets {
  readonly #settings: Pick<TcpSettings, 'keys' | 'tls'>;
  #keys: NerioKeys | undefined;
  #keyring: Keyring | undefined;
  #tls: NerioTls | undefined;

  constructor(settings: Pick<TcpSettings, 'keys' | 'tls'>) {
    this.#settings = settings;
    this.renew();
  }

  get keyring(): Keyring | undefined {
    return this.#keyring;
  }

  get tls(): NerioTls | undefined {
    return this.#tls;
  }

  /** Asks for them. What cannot be had, or used, leaves those of before. */
  renew(): LeadershipError | undefined {
    try {
      const { keys, tls } = this.#settings;
      const latest = keys?.();
      if (latest !== this.#keys) this.#keyring = latest && keyringOf(latest);
      this.#keys = latest;
      const certificates = tls?.();
      if (certificates !== undefined && certificates !== this.#tls) checkTls(certificates);
      this.#tls = certificates;
      return undefined;
    } catch (error) {
      return new LeadershipError(
        'unauthorized',
        `keys or certificates cannot be renewed: ${error instanceof Error ? error.message : error}`,
        {
          cause: error,
        },
      );
    }
  }
}
