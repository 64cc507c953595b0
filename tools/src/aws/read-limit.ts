// Kinesis answers five GetRecords a second for each shard, whoever asks; emulators do not mind. A shard iterator says nothing
// of its shard, so it is remembered where it came from.

/** What Kinesis allows one shard. Requests a second. */
const readsASecond = 5;

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
        shards.set(
          word(answer, 'ShardIterator'),
          `${word(request, 'StreamName')}${word(request, 'StreamARN')}/${word(request, 'ShardId')}`,
        );
      } else if (operation === 'GetRecords') {
        const before = word(request, 'ShardIterator');
        shards.set(word(answer, 'NextShardIterator'), shards.get(before) ?? '');
        shards.delete(before);
      }
    },
  };
}

function word(body: string, name: string): string {
  const fields = JSON.parse(body || '{}') as Readonly<Record<string, unknown>>;
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
