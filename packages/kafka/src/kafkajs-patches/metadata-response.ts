// KafkaJS 2.2 rejects a whole metadata answer if one partition in it has no leader, even a
// partition of another topic. A member needs the rest of the answer, and reads the leader of such a
// partition as -1. Errors of whole topics still reject.
import { fieldOf } from './visit-connections.ts';

interface Asked {
  readonly request: { readonly apiName: string };
  readonly response: { parse(data: unknown): Promise<unknown> };
}

interface Sending {
  send(asked: Asked): Promise<unknown>;
}

/**
 * Makes a connection accept metadata with partitions without a leader. Returns whether the patch
 * could be applied.
 */
export function patchMetadataResponse(connection: unknown): boolean {
  if (!isSending(connection)) return false;
  const send = connection.send.bind(connection);
  connection.send = (asked) =>
    send(
      asked.request.apiName === 'Metadata'
        ? { ...asked, response: leaderlessAllowed(asked.response) }
        : asked,
    );
  return true;
}

function leaderlessAllowed(response: Asked['response']): Asked['response'] {
  return {
    ...response,
    async parse(data) {
      await response.parse(withoutPartitions(data));
      return data;
    },
  };
}

/** Returns the answer without its partitions, so that only errors of whole topics reject. */
function withoutPartitions(data: unknown): unknown {
  const topics = fieldOf(data, 'topicMetadata');
  if (typeof data !== 'object' || !Array.isArray(topics)) return data;
  return {
    ...data,
    topicMetadata: (topics as readonly object[]).map((topic) => ({
      ...topic,
      partitionMetadata: [],
    })),
  };
}

function isSending(value: unknown): value is Sending {
  return typeof fieldOf(value, 'send') === 'function';
}
