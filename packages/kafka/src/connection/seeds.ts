// Chooses the broker that a member connects to first.

/** Addresses of brokers, or a function that finds them. */
export type BrokerAddresses =
  | readonly string[]
  | (() => readonly string[] | Promise<readonly string[]>);

/** The brokers that clients of one configuration connect to first. */
export interface Seeds {
  /**
   * The number of addresses; 1 if a function finds them. A client may need this number of attempts
   * to find a broker that answers.
   */
  readonly count: number;
  /**
   * Finds the addresses for another client. Each begins with another broker: one may accept
   * connections and answer nothing.
   */
  next(): () => Promise<string[]>;
}

/** Returns seeds that start with another address for each client. */
export function seedsOf(addresses: BrokerAddresses): Seeds {
  let clients = 0;
  return {
    count: typeof addresses === 'function' ? 1 : addresses.length,
    next() {
      const turn = clients;
      clients += 1;
      return async () =>
        rotated(typeof addresses === 'function' ? await addresses() : addresses, turn);
    },
  };
}

/** Returns the list rotated, so that each turn starts with another item. */
export function rotated<T>(items: readonly T[], turn: number): T[] {
  const start = turn % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
