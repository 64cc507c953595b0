/**
 * Disconnects once no call is under way. KafkaJS would open another connection for the next step of a call, such as a join or a search for
 * brokers, and leave it open, if it were disconnected during that call. Never rejects.
 */
export async function letGo(underWay: Iterable<Promise<unknown>>, disconnect: () => Promise<void>): Promise<void> {
  await Promise.allSettled(underWay);
  await disconnect().catch(() => undefined);
}
