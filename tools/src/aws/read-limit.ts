// Kinesis answers five GetRecords a second for each shard, whoever asks; emulators do not mind. A shard iterator says nothing
// of its shard, so it is remembered where it came from.

/** What Kinesis allows one shard. Requests a second. */
const readsASecond = 5;

/** So many iterators are remembered: one is asked again where its answer was lost. */
const remembered = 10_000;

/** The limit of reads, over the bodies of requests and answers that pass. */
export interface ReadLimit {
  /** Whether this GetRecords is one too many at `nowMs`. */
  refuses(body: string, nowMs: number): boolean;
  /** Notes which shard the iterators in an answer belong to. */
  answered(operation: string, request: string, answer: string): void;
}

/** A limit that has seen nothing yet. */
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
        note(word(answer, 'ShardIterator'), `${word(request, 'StreamName')}${word(request, 'StreamARN')}/${word(request, 'ShardId')}`);
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
