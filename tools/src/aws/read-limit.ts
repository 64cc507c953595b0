// Refuses requests in the fault proxy as Kinesis does: it limits GetRecords to five a second per
// shard, for all clients together, and emulators do not. A shard iterator does not contain its
// shard, so the limit records the shard of every iterator that the service returns.

/** The limit per shard, in requests per second. */
const readsASecond = 5;

/**
 * The number of iterators to remember. Used ones are included, because a client retries them if a
 * response was lost.
 */
const remembered = 10_000;

/** Limits reads, based on the bodies of requests and responses. */
export interface ReadLimit {
  /** Returns whether this GetRecords exceeds the limit at `nowMs`. Counts it otherwise. */
  refuses(body: string, nowMs: number): boolean;
  /** Records the shard of the iterators in a response. */
  answered(operation: string, request: string, answer: string): void;
}

/** Returns a limit without any requests so far. */
export function readLimit(): ReadLimit {
  const shards = new Map<string, string>();
  const reads = new Map<string, number[]>();
  const note = (iterator: string, shard: string): void => {
    shards.set(iterator, shard);
    const [oldest] = shards.keys();
    if (oldest !== undefined && shards.size > remembered) shards.delete(oldest);
  };
  return {
    refuses(body, nowMs) {
      const shard = shards.get(word(body, 'ShardIterator')) ?? '';
      const recent = (reads.get(shard) ?? []).filter((atMs) => atMs > nowMs - 1000);
      const isOneTooMany = recent.length >= readsASecond;
      reads.set(shard, isOneTooMany ? recent : [...recent, nowMs]);
      return isOneTooMany;
    },
    answered(operation, request, answer) {
      if (operation === 'GetShardIterator') {
        note(
          word(answer, 'ShardIterator'),
          `${word(request, 'StreamName')}${word(request, 'StreamARN')}/${word(request, 'ShardId')}`,
        );
      } else if (operation === 'GetRecords') {
        note(word(answer, 'NextShardIterator'), shards.get(word(request, 'ShardIterator')) ?? '');
      }
    },
  };
}

function word(body: string, name: string): string {
  const fields = JSON.parse(body || '{}') as Readonly<Record<string, unknown>>;
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
