import type { BrokerConnection } from './connection.ts';

/** One connection to a broker at a time, opened when it is needed. */
export interface Lane {
  /** A connection whose login has not expired. */
  connection(): Promise<BrokerConnection>;
  /** The connection there is just now. */
  current(): BrokerConnection | undefined;
  /** Ends the connection once no request is in flight, and the one that is being opened likewise. The lane is not used after that. */
  retire(): void;
}

/** A login that cannot be renewed is tried again after this share of the time that is left for it when it is first tried. */
const retryShare = 1 / 5;

/** The next connection is opened ahead, while the one before is still good. */
export function lane(open: () => Promise<BrokerConnection>): Lane {
  let current: BrokerConnection | undefined;
  let opening: Promise<BrokerConnection> | undefined;
  let renewAt = 0;
  const replace = (): Promise<BrokerConnection> => {
    opening ??= open()
      .then((opened) => {
        current?.retire();
        current = opened;
        renewAt = opened.renewAt;
        return opened;
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  };
  return {
    async connection() {
      const now = performance.now();
      if (current === undefined || !current.isOpen || now >= current.expiresAt) return replace();
      // A renewal that fails is tried again after a pause, and reported once the login has expired.
      if (now >= renewAt) {
        renewAt = now + retryShare * (current.expiresAt - current.renewAt);
        replace().catch(() => undefined);
      }
      return current;
    },
    current: () => current,
    retire() {
      current?.retire();
      opening?.then(
        (opened) => opened.retire(),
        () => undefined,
      );
    },
  };
}
