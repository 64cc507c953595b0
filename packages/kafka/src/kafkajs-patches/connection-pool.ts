// KafkaJS 2.2 keeps two connections to a broker: the second carries fetches, the first everything
// else. It considers the broker connected while either of them is open. If only the second one is
// open, `findBroker` resolves at once, and the next produce request reopens the first one. By then
// the sender has already checked that the record is in time (L4). So this patch lets only the first
// connection count.
import { fieldOf } from './visit-connections.ts';

interface ConnectionState {
  isConnected(): boolean;
  isAuthenticated(): boolean;
}

interface ConnectionPool extends ConnectionState {
  readonly pool: readonly [ConnectionState, ...unknown[]];
}

/**
 * Makes a pair of connections count as connected only while its first one is. Returns whether the
 * patch could be applied.
 */
export function patchConnectionPool(pair: unknown): boolean {
  if (!isConnectionPool(pair)) return false;
  const [first] = pair.pool;
  pair.isConnected = () => first.isConnected();
  pair.isAuthenticated = () => first.isAuthenticated();
  return true;
}

function isConnectionPool(value: unknown): value is ConnectionPool {
  const pool = fieldOf(value, 'pool');
  return hasState(value) && Array.isArray(pool) && hasState(pool[0]);
}

function hasState(value: unknown): value is ConnectionState {
  return ['isConnected', 'isAuthenticated'].every(
    (name) => typeof fieldOf(value, name) === 'function',
  );
}
