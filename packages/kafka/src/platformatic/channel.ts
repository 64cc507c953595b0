// Keeps a connection of @platformatic/kafka to one broker open.
import type { BrokerConnection } from './connection.ts';

/** At most one usable connection to a broker, opened when it is needed. */
export interface Channel {
  /** Returns a connection whose login has not expired. */
  connection(): Promise<BrokerConnection>;
  /** Returns the current connection, if there is one. */
  current(): BrokerConnection | undefined;
  /**
   * Ends the connection once no request is in flight, and the one that is being opened likewise.
   * The channel is not used after that.
   */
  retire(): void;
}

/**
 * The pause after a failed renewal of a login, as a share of the time that was left at the first
 * attempt.
 */
const retryShare = 1 / 5;

/** Returns a channel, which opens the next connection while the last one is still usable. */
export function channel(open: () => Promise<BrokerConnection>): Channel {
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
