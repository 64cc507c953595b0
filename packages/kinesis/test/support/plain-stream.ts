import type { Batch, Shard, Stream } from '../../src/stream/stream.ts';

/** A request that reached the stream. */
interface StreamRequest {
  readonly kind: 'shards' | 'position' | 'read' | 'append';
  /** The shard of `position` and `read`, the text of `append`. */
  readonly what: string;
  /** For `position`. */
  readonly from?: 'oldest' | 'next';
  /** For `read`: the number of records before its position. */
  readonly after?: number;
}

/** A shard of a plain stream. */
interface PlainShard {
  readonly texts: string[];
  /** The children, if the shard is closed. */
  children?: readonly Shard[];
}

/** A stream as a plain object: the unit tests control every answer. */
export interface PlainStream extends Stream {
  readonly asked: StreamRequest[];
  /** The open shards. */
  shards: readonly Shard[];
  /** The content of a shard. */
  in(shard: string): PlainShard;
  /** Runs before a request is answered. It can wait or throw. */
  before?: ((request: StreamRequest) => Promise<void> | void) | undefined;
}

export function plainStream(...shards: readonly Shard[]): PlainStream {
  const content = new Map<string, PlainShard>();
  const asked: StreamRequest[] = [];
  const arrive = async (request: StreamRequest): Promise<void> => {
    asked.push(request);
    await stream.before?.(request);
  };
  const stream: PlainStream = {
    kind: 'stream',
    name: 's',
    region: async () => 'eu-west-1',
    asked,
    shards,
    in(shard) {
      const found = content.get(shard) ?? { texts: [] };
      content.set(shard, found);
      return found;
    },
    async openShards() {
      await arrive({ kind: 'shards', what: '' });
      return stream.shards;
    },
    async position(shard, from) {
      await arrive({ kind: 'position', what: shard, from });
      return `${shard} ${from === 'oldest' ? 0 : stream.in(shard).texts.length}`;
    },
    async read(position): Promise<Batch> {
      const [shard = '', after = ''] = position.split(' ');
      await arrive({ kind: 'read', what: shard, after: Number(after) });
      const { texts, children } = stream.in(shard);
      const next = children === undefined ? `${shard} ${texts.length}` : undefined;
      return { texts: texts.slice(Number(after)), next, children: children ?? [] };
    },
    async append(entries) {
      for (const { text } of entries) await arrive({ kind: 'append', what: text });
    },
  };
  return stream;
}

/** The shard of the hash keys from `first` to `last`. */
export function shardOf(id: string, first: number, last: number): Shard {
  return { id, firstKey: BigInt(first), lastKey: BigInt(last) };
}
