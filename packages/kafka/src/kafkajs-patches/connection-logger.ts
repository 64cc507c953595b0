// KafkaJS 2.2 logs each error that a broker answers, and each socket that ends, as an error. For a
// member much of that is normal: it looks a topic up before it creates one, requests settings that
// it may not read, learns from a heartbeat that the group rebalances, and ends its own connections.
// The caller receives the error, and health() reports it if it matters; KafkaJS logs it at level
// DEBUG.
import { closedMessage } from '../connection/closed-message.ts';
import { fieldOf } from './visit-connections.ts';

/** The requests to which an error is an ordinary answer, by KafkaJS's names. */
const lookUps: ReadonlySet<string> = new Set([
  ...['Metadata', 'CreateTopics', 'DescribeConfigs'],
  ...['GroupCoordinator', 'JoinGroup', 'SyncGroup', 'Heartbeat', 'DescribeGroups'],
]);

interface Asked {
  readonly request: { readonly apiName: string };
  readonly logResponseError?: boolean;
}

type Log = (message: string, extra?: object) => void;

interface Logging {
  send(asked: Asked): Promise<unknown>;
  logError: Log;
  logDebug: Log;
}

/**
 * Makes a connection log only real errors as errors. Returns whether the patch could be applied.
 */
export function patchConnectionLogger(connection: unknown): boolean {
  if (!isLogging(connection)) return false;
  const { logError, logDebug } = connection;
  const send = connection.send.bind(connection);
  connection.send = (asked) =>
    send(lookUps.has(asked.request.apiName) ? { ...asked, logResponseError: false } : asked);
  connection.logError = (message, extra) =>
    (message.endsWith(closedMessage) ? logDebug : logError)(message, extra);
  return true;
}

function isLogging(value: unknown): value is Logging {
  return ['send', 'logError', 'logDebug'].every(
    (name) => typeof fieldOf(value, name) === 'function',
  );
}
