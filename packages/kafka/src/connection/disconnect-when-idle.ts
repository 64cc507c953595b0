// Closes a client of KafkaJS for good.

/**
 * Disconnects once no call is in progress. If KafkaJS is disconnected during a call such as a join
 * or a search for brokers, it opens another connection for the next step and leaves it open. Never
 * rejects.
 */
export async function disconnectWhenIdle(
  underWay: Iterable<Promise<unknown>>,
  disconnect: () => Promise<void>,
): Promise<void> {
  await Promise.allSettled(underWay);
  await disconnect().catch(() => undefined);
}
