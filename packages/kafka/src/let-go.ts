/**
 * Ends a connection once nothing is under way on it any more, however that ended. Whatever KafkaJS is doing when it is told to
 * disconnect, a join, a look for brokers, connects anew for its next step, and nobody disconnects it then. Never rejects.
 */
export async function letGo(underWay: Iterable<Promise<unknown>>, disconnect: () => Promise<void>): Promise<void> {
  await Promise.allSettled(underWay);
  await disconnect().catch(() => undefined);
}
