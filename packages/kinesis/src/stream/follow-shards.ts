// Reads the shards that receive the records of some hash keys. When a shard is split or merged, the
// reader continues in its children and skips no record.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, sleep } from '@leadership/core/adapter';
import {
  type AsyncQueue,
  asyncQueue,
  type HealthReporter,
  type InFlight,
  manyListeners,
} from '@leadership/core/internal/engine';
import { withResponseTimeout } from '../client/response-timeout.ts';
import { isPositionLost, toError } from '../errors.ts';
import type { HashKey } from './hash-key.ts';
import type { ReadRate } from './read-rate.ts';
import type { Batch, Shard, Stream } from './stream.ts';

/** The rules of reading a stream without a gap. Each is a function, so that tests can break one. */
export interface ShardRules {
  /**
   * Whether a child shard may be read. `arrived` maps each key to the shard it has led to so far.
   */
  mayRead(child: string, keys: readonly HashKey[], arrived: ReadonlyMap<HashKey, string>): boolean;
  /** Whether an error means that the position in a shard is lost, so that records may be missed. */
  isLost(error: unknown): boolean;
}

/**
 * The correct rules. The child of a merge is read after both of its parents were read to their end.
 * A lost position is never guessed.
 */
export const shardRules: ShardRules = {
  mayRead: (child, keys, arrived) =>
    keys.length > 0 && keys.every((key) => arrived.get(key) === child),
  isLost: isPositionLost,
};

/** The shards to follow, and how to follow them. */
export interface ShardFollowing {
  readonly stream: Stream;
  readonly keys: readonly HashKey[];
  readonly clock: Clock;
  /** How long to wait for an answer. Milliseconds. */
  readonly limitMs: number;
  readonly newReadRate: () => ReadRate;
  readonly busy: InFlight;
  readonly troubles: HealthReporter;
  /** Called when a request is refused or times out, and will be retried. */
  readonly hesitated?: () => void;
  /** Default: {@link shardRules}. */
  readonly rules?: ShardRules;
}

/** The events that the reader yields. */
export type ShardUpdate =
  /** From here on the reader returns each record of these keys. */
  | { readonly kind: 'listening'; readonly keys: readonly HashKey[] }
  /** Records of one shard in the order of that shard, with the time at which the reply arrived. */
  | { readonly kind: 'records'; readonly texts: readonly string[]; readonly receivedAt: Instant };

/** The key of problems with reading the stream. */
const about = 'reading';
/** After this number of refusals in a row the cause is not a chance collision of two readers. */
const refusalsMax = 3;

/**
 * Follows the shards from now on until the signal aborts. Throws errors that waiting cannot
 * resolve, and errors after which records may have been skipped.
 */
export async function* followShards(
  following: ShardFollowing,
  signal: AbortSignal,
): AsyncGenerator<ShardUpdate> {
  const over = new AbortController();
  const updates = asyncQueue<ShardUpdate>();
  // Each shard adds a listener to this signal.
  const until = manyListeners(AbortSignal.any([signal, over.signal]));
  try {
    const reading = new Shards(following, updates, until).read().finally(() => over.abort());
    reading.catch(() => undefined);
    yield* updates.drain(until);
    if (!signal.aborted) await reading;
  } finally {
    over.abort();
    following.troubles.mend(about);
  }
}

class Shards {
  readonly #following: ShardFollowing;
  readonly #updates: AsyncQueue<ShardUpdate>;
  readonly #until: AbortSignal;
  readonly #rules: ShardRules;
  /** The shard that each key has led to so far. Empty until a first shard is read to its end. */
  readonly #arrived = new Map<HashKey, string>();

  constructor(following: ShardFollowing, updates: AsyncQueue<ShardUpdate>, until: AbortSignal) {
    this.#following = following;
    this.#updates = updates;
    this.#until = until;
    this.#rules = following.rules ?? shardRules;
  }

  async read(): Promise<void> {
    const { stream, clock, limitMs, busy } = this.#following;
    const shards = await busy.track(
      withResponseTimeout(stream, { clock, limitMs, signal: this.#until }, (signal) =>
        stream.openShards(signal),
      ),
    );
    const wanted = this.#wanted(shards);
    if (wanted.length === 0)
      throw new LeadershipError('unreachable', `stream "${stream.name}": it has no open shard yet`);
    await Promise.all(wanted.map((shard) => this.#follow(shard, 'next')));
  }

  /** Reads a shard to its end, then continues in the children that its keys lead to. */
  async #follow(shard: Shard, from: 'oldest' | 'next'): Promise<void> {
    const children = await this.#readToEnd(shard, from);
    const ready = children.filter((child) => this.#arrive(shard, child));
    await Promise.all(ready.map((child) => this.#follow(child, 'oldest')));
  }

  /**
   * Moves the keys of an ended shard to one of its children. Returns whether the child may be read
   * now.
   */
  #arrive(shard: Shard, child: Shard): boolean {
    const keys = this.#keysIn(child);
    for (const key of this.#keysIn(shard)) if (keys.includes(key)) this.#arrived.set(key, child.id);
    return this.#rules.mayRead(child.id, keys, this.#arrived);
  }

  async #readToEnd(shard: Shard, from: 'oldest' | 'next'): Promise<readonly Shard[]> {
    const { stream, clock, newReadRate } = this.#following;
    const rate = newReadRate();
    let position = await this.#repeat(rate, (signal) => stream.position(shard.id, from, signal));
    for (let isFirst = from === 'next'; position !== undefined; isFirst = false) {
      const read = position;
      const batch = await this.#repeat(rate, (signal) => stream.read(read, signal));
      if (batch === undefined) break;
      this.#deliver(shard, batch, isFirst);
      if (batch.next === undefined) return this.#childrenOf(shard, batch);
      position = batch.next;
      await sleep(clock, rate.nextMs(), this.#until);
    }
    return [];
  }

  #deliver(shard: Shard, { texts }: Batch, isFirst: boolean): void {
    if (isFirst) this.#updates.push({ kind: 'listening', keys: this.#keysIn(shard) });
    if (texts.length > 0)
      this.#updates.push({ kind: 'records', texts, receivedAt: this.#following.clock.now() });
  }

  #childrenOf(shard: Shard, { children }: Batch): readonly Shard[] {
    if (this.#wanted(children).length > 0) return children;
    const { stream } = this.#following;
    throw new LeadershipError(
      'unreachable',
      `stream "${stream.name}": shard ${shard.id} is closed, and its child shards are unknown`,
    );
  }

  /**
   * Repeats a request at the given rate until it is answered; `undefined` once the signal aborts.
   */
  async #repeat<T>(
    rate: ReadRate,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const { stream, clock, limitMs, busy, troubles } = this.#following;
    const until = this.#until;
    for (let refusals = 1; !until.aborted; refusals += 1) {
      try {
        const answer = await busy.track(
          withResponseTimeout(stream, { clock, limitMs, signal: until }, ask),
        );
        rate.answered();
        troubles.mend(about);
        return answer;
      } catch (thrown) {
        const error = this.#patiently(thrown);
        this.#following.hesitated?.();
        if (refusals >= refusalsMax && !until.aborted) troubles.raise(about, error);
        rate.refused();
        await sleep(clock, rate.nextMs(), until);
      }
    }
    return undefined;
  }

  #wanted(shards: readonly Shard[]): readonly Shard[] {
    return shards.filter((shard) => this.#keysIn(shard).length > 0);
  }

  #keysIn({ firstKey, lastKey }: Shard): readonly HashKey[] {
    return this.#following.keys.filter((key) => firstKey <= key && key <= lastKey);
  }

  /** Returns an error that a retry may resolve, and throws any other. */
  #patiently(thrown: unknown): LeadershipError {
    const error = toError(thrown);
    if (error.code !== 'unreachable' || this.#rules.isLost(error.cause)) throw error;
    return error;
  }
}
