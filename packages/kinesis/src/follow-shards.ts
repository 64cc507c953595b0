// Reads the shards to which records of some hash keys go, and goes on to their children where one is split or merged: nothing in
// between is skipped.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, manyListeners, pause, type Queue, queue, type Raised } from '@leadership/core/backend';
import type { Busy } from '@leadership/core/ledger';
import { answerOf } from './answer-of.ts';
import { isPositionLost, toError } from './errors.ts';
import type { HashKey } from './hash-key.ts';
import type { Pace } from './pace.ts';
import type { Batch, Shard, Stream } from './stream.ts';

/** What reading a stream without a gap rests on, each a function of its own, so that a mistake is one of them replaced. */
export interface ShardRules {
  /** Whether a shard that others became may be read; `arrived` says to which shard each key has led so far. */
  mayRead(child: string, keys: readonly HashKey[], arrived: ReadonlyMap<HashKey, string>): boolean;
  /** Whether an error says that the place in a shard is lost: what came since may be missed. */
  isLost(error: unknown): boolean;
}

/** The rules as they hold: of two shards that were merged, the one that is read to its end last brings the keys, and no place is guessed. */
export const shardRules: ShardRules = {
  mayRead: (child, keys, arrived) => keys.length > 0 && keys.every((key) => arrived.get(key) === child),
  isLost: isPositionLost,
};

/** What is followed, and how. */
export interface ShardFollowing {
  readonly stream: Stream;
  readonly keys: readonly HashKey[];
  readonly clock: Clock;
  /** How long an answer is waited for. Milliseconds. */
  readonly limitMs: number;
  readonly newPace: () => Pace;
  readonly busy: Busy;
  readonly troubles: Raised;
  /** Called where an answer was refused or did not come, and is asked for again. */
  readonly hesitated?: () => void;
  /** Default: {@link shardRules}. */
  readonly rules?: ShardRules;
}

/** What following them brings. */
export type ShardNews =
  /** From here on every record of these keys is read. */
  | { readonly kind: 'listening'; readonly keys: readonly HashKey[] }
  /** Records of one shard in its own order, and when the reply that brought them arrived. */
  | { readonly kind: 'records'; readonly texts: readonly string[]; readonly receivedAt: Instant };

/** The trouble with reading the stream. */
const about = 'reading';
/** So many refusals in a row are no chance meeting of two readers any more. */
const refusalsMax = 3;

/** Follows from now on, until the signal aborts. Throws what no waiting mends, and what may have made it skip something. */
export async function* followShards(following: ShardFollowing, signal: AbortSignal): AsyncGenerator<ShardNews> {
  const over = new AbortController();
  const news = queue<ShardNews>();
  // Each shard listens.
  const until = manyListeners(AbortSignal.any([signal, over.signal]));
  try {
    const reading = new Shards(following, news, until).read().finally(() => over.abort());
    reading.catch(() => undefined);
    yield* news.drain(until);
    if (!signal.aborted) await reading;
  } finally {
    over.abort();
    following.troubles.mend(about);
  }
}

class Shards {
  readonly #following: ShardFollowing;
  readonly #news: Queue<ShardNews>;
  readonly #until: AbortSignal;
  readonly #rules: ShardRules;
  /** The shard to which each key has led so far, once the first was read to its end. */
  readonly #arrived = new Map<HashKey, string>();

  constructor(following: ShardFollowing, news: Queue<ShardNews>, until: AbortSignal) {
    this.#following = following;
    this.#news = news;
    this.#until = until;
    this.#rules = following.rules ?? shardRules;
  }

  async read(): Promise<void> {
    const { stream, clock, limitMs, busy } = this.#following;
    const shards = await busy.with(answerOf(stream, { clock, limitMs, until: this.#until }, (signal) => stream.openShards(signal)));
    const wanted = this.#wanted(shards);
    if (wanted.length === 0) throw new LeadershipError('unreachable', `stream "${stream.name}": it has no open shard yet`);
    await Promise.all(wanted.map((shard) => this.#follow(shard, 'next')));
  }

  /** Reads a shard to its end, and then on in those to which its keys lead from there. */
  async #follow(shard: Shard, from: 'oldest' | 'next'): Promise<void> {
    const children = await this.#readToEnd(shard, from);
    const ready = children.filter((child) => this.#arrive(shard, child));
    await Promise.all(ready.map((child) => this.#follow(child, 'oldest')));
  }

  /** The keys of a shard that ended have come to this one. Whether it may be read now. */
  #arrive(shard: Shard, child: Shard): boolean {
    const keys = this.#keysIn(child);
    for (const key of this.#keysIn(shard)) if (keys.includes(key)) this.#arrived.set(key, child.id);
    return this.#rules.mayRead(child.id, keys, this.#arrived);
  }

  async #readToEnd(shard: Shard, from: 'oldest' | 'next'): Promise<readonly Shard[]> {
    const { stream, clock, newPace } = this.#following;
    const pace = newPace();
    let position = await this.#insist(pace, (signal) => stream.position(shard.id, from, signal));
    for (let isFirst = from === 'next'; position !== undefined; isFirst = false) {
      const read = position;
      const batch = await this.#insist(pace, (signal) => stream.read(read, signal));
      if (batch === undefined) break;
      this.#tell(shard, batch, isFirst);
      if (batch.next === undefined) return this.#childrenOf(shard, batch);
      position = batch.next;
      await pause(clock, pace.nextMs(), this.#until);
    }
    return [];
  }

  #tell(shard: Shard, { texts }: Batch, isFirst: boolean): void {
    if (isFirst) this.#news.push({ kind: 'listening', keys: this.#keysIn(shard) });
    if (texts.length > 0) this.#news.push({ kind: 'records', texts, receivedAt: this.#following.clock.now() });
  }

  #childrenOf(shard: Shard, { children }: Batch): readonly Shard[] {
    if (this.#wanted(children).length > 0) return children;
    const { stream } = this.#following;
    throw new LeadershipError(
      'unreachable',
      `stream "${stream.name}": shard ${shard.id} is closed, and it is not known what came after it`,
    );
  }

  /** Asks until there is an answer, at that pace; `undefined` once nothing is asked any more. */
  async #insist<T>(pace: Pace, ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { stream, clock, limitMs, busy, troubles } = this.#following;
    const until = this.#until;
    for (let refusals = 1; !until.aborted; refusals += 1) {
      try {
        const answer = await busy.with(answerOf(stream, { clock, limitMs, until }, ask));
        pace.answered();
        troubles.mend(about);
        return answer;
      } catch (thrown) {
        const error = this.#patiently(thrown);
        this.#following.hesitated?.();
        if (refusals >= refusalsMax && !until.aborted) troubles.raise(about, error);
        pace.refused();
        await pause(clock, pace.nextMs(), until);
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

  /** What asking again may mend; anything else is thrown. */
  #patiently(thrown: unknown): LeadershipError {
    const error = toError(thrown);
    if (error.code !== 'unreachable' || this.#rules.isLost(error.cause)) throw error;
    return error;
  }
}
