// The rows of a group in a bucket: keys of a stream of JetStream, whose changes are conditional on the
// revision of the key, and whose order a consumer of each member shows.
import { randomUUID } from 'node:crypto';
import {
  type Host,
  misconfigured,
  openingMsOf,
  Reconnecting,
  Shared,
} from '@leadership/core/adapter';
import { createInbox, headers } from '@nats-io/transport-node';
import { type Connection, connectionTo } from './connection.ts';
import { hasCode, keepsConnection, OutdatedReplica } from './errors.ts';
import { tokenOf } from './keys.ts';
import type { NatsOptions } from './options.ts';
import { type Entry, notificationHeader, operationHeader, Replica } from './replica.ts';
import { checkBucket, checkServer, newBucket, type StreamInfo } from './settings.ts';

/** All rows at one place of the stream. */
export interface Listing {
  /** The last change of each row, by its name. */
  readonly rows: ReadonlyMap<string, Entry>;
  /** The life of the stream: when it was created, and the group of servers that keeps it. */
  readonly life: string;
  /** The place of the stream that the rows are of. */
  readonly revision: number;
  /** The last place of the stream before this reading, as far as the reader knows. */
  readonly last: number;
}

/** The bucket, as one member reaches it. Methods need not settle when their signal aborts. */
export type Bucket = Pick<NatsBucket, 'open' | 'list' | 'received' | 'write' | 'watch' | 'close'>;

/** The options of a bucket. */
export type BucketOptions = Omit<NatsOptions, 'bucket'> & {
  readonly bucket: string;
  readonly thresholdMs: number;
  /** The age of a removed key whose mark is removed. Default {@link marksMs}. */
  readonly marksMs?: number;
};

/** Marks of removed keys are removed themselves after this time: no consumer lags so far. Milliseconds. */
const marksMs = 3_600_000;
/** The number of marks that a member removes each time it connects. */
const marksMax = 64;
/** The number of keys that readings use: each consumer receives those of few other members. */
const readingKeys = 64;
/** When the server removes the consumer of a connection that has ended. Nanoseconds. */
const consumerNs = 5e9;

/** A consumer as the server describes it, as far as it is used. */
interface ConsumerInfo {
  readonly delivered: { readonly consumer_seq: number };
  readonly num_pending: number;
}

/** A connection, and the rows that it has received. */
type Link = Connection & { readonly replica: Shared<Replica> };

/** The bucket of a member. Connects on demand. */
export class NatsBucket {
  readonly #options: BucketOptions;
  readonly #link: Reconnecting<Link>;
  readonly #stream: string;
  /** The beginning of the subjects of the rows. */
  readonly #base: string;
  /** The subject of the messages by which this member reads. */
  readonly #reading: string;
  /** The number of the server to try next. */
  #next: number;

  constructor(options: BucketOptions, { clock, random }: Pick<Host, 'clock' | 'random'>) {
    const { bucket, group, servers, thresholdMs } = options;
    const oneOf = (count: number): number => Math.floor(count * random());
    this.#options = options;
    this.#stream = `KV_${bucket}`;
    this.#base = `$KV.${bucket}.${tokenOf(group)}`;
    this.#reading = `${this.#base}.read.${oneOf(readingKeys)}`;
    this.#next = oneOf(servers.length);
    this.#link = new Reconnecting((signal) => this.#connected(signal), keepsConnection, {
      clock,
      limitMs: openingMsOf(thresholdMs),
    });
  }

  /** Checks the bucket. Creates it if it is missing and the member may; otherwise resolves with `false`. */
  open(mayCreate: boolean, signal: AbortSignal): Promise<boolean> {
    const { bucket, replicas, create = true } = this.#options;
    return this.#link.use(signal, async (link) => {
      const server = link.client.info;
      if (server === undefined) throw new Error('the connection has ended');
      checkServer(server);
      const copies = replicas ?? (server.cluster === undefined ? 1 : 3);
      const found = await this.#info(link).catch((error: unknown) => {
        if (!hasCode(error, 10_059)) throw error;
        if (mayCreate && !create)
          throw misconfigured('the bucket does not exist: create it, or set create');
      });
      if (found === undefined && !mayCreate) return false;
      const created = `$JS.API.STREAM.CREATE.${this.#stream}`;
      const now = found ?? (await link.ask<StreamInfo>(created, newBucket(bucket, copies)));
      checkBucket(now, bucket, copies);
      return true;
    });
  }

  /** Reads all rows: with all changes that were acknowledged before, unless it may lag. */
  list(mayLag: boolean, signal: AbortSignal): Promise<Listing> {
    const list = (): Promise<Listing> =>
      this.#link.use(signal, async (link) => {
        const replica = await link.replica.get();
        const last = mayLag
          ? await this.#caughtUp(link, replica, signal)
          : await this.#read(link, replica, signal);
        replica.hasRead = true;
        return listingOf(replica, last);
      });
    return list().catch((error: unknown) => {
      // The bucket was created again, or restored: a new consumer shows it.
      if (error instanceof OutdatedReplica) return list();
      throw error;
    });
  }

  /** Returns the rows that this connection has received; `undefined` before its first reading. */
  async received(signal: AbortSignal): Promise<Listing | undefined> {
    const replica = await this.#link.use(signal, (link) => link.replica.get());
    return replica.hasRead ? listingOf(replica, replica.reached) : undefined;
  }

  /**
   * Changes a row. Resolves with whether it was at the revision, or did not exist if that is 0, and once the
   * change was received.
   */
  write(change: Omit<Entry, 'storedAt'>, signal: AbortSignal): Promise<boolean> {
    const { name, text, revision, notification } = change;
    const header = headers();
    header.set('Nats-Expected-Last-Subject-Sequence', String(revision));
    if (text === null) header.set(operationHeader, 'DEL');
    if (notification !== undefined) header.set(notificationHeader, notification);
    return this.#link.use(signal, async (link) => {
      try {
        const subject = `${this.#base}.${tokenOf(name)}`;
        const { seq: place } = await link.ask<{ seq: number }>(subject, text ?? '', header);
        const replica = await link.replica.get();
        await replica.until(() => replica.reached >= place, signal);
        return true;
      } catch (error) {
        if (!hasCode(error, 10_071, 10_164)) throw error;
        const found = Number(/sequence: (\d+)/.exec(String(error))?.[1] ?? revision);
        // The key went back, or was removed without a mark: the consumer will not show that.
        if (found < revision) (await link.replica.get()).end(new OutdatedReplica());
        return false;
      }
    });
  }

  /** Yields `undefined` once it follows the rows, and then each change. Throws when the connection ends. */
  async *watch(signal: AbortSignal): AsyncIterable<Entry | undefined> {
    yield* (await this.#link.use(signal, (link) => link.replica.get())).follow(signal);
  }

  /** Closes the connection. */
  close(): void {
    this.#link.close();
  }

  async #connected(signal: AbortSignal): Promise<Link> {
    const { servers: all } = this.#options;
    const servers = [...all.slice(this.#next), ...all.slice(0, this.#next)];
    // A server that accepts connections and answers nothing is not the first one to be tried again.
    this.#next = (this.#next + 1) % all.length;
    const limitMs = openingMsOf(this.#options.thresholdMs) / servers.length;
    const connection = await connectionTo({ ...this.#options, servers, limitMs }, signal);
    const replica = new Shared(() => this.#follow(connection));
    // Within the time to connect: a reading has less, and would begin again and again if this is slow. A
    // bucket that is still missing has no consumer, and the next reading says why there is none.
    await replica.get().catch(() => undefined);
    if (signal.aborted) connection.close();
    return { ...connection, replica };
  }

  /** Follows the rows with a consumer of this connection. */
  async #follow({ client, ended, ask }: Connection): Promise<Replica> {
    const inbox = createInbox(this.#options.inboxPrefix);
    const replica = new Replica(`leadership-${randomUUID()}`);
    void ended.then(() => replica.end(new Error('the connection has ended')));
    client.subscribe(inbox, {
      callback: (error, message) => (error ? replica.end(error) : replica.take(message)),
    });
    const config = {
      name: replica.consumer,
      deliver_subject: inbox,
      deliver_policy: 'last_per_subject',
      ack_policy: 'none',
      filter_subjects: [`${this.#base}.*`, this.#reading],
      // It lives no longer than the connection, so no other server need keep it.
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: consumerNs,
    };
    const request = { stream_name: this.#stream, action: 'create', config };
    await ask(`$JS.API.CONSUMER.CREATE.${this.#stream}.${replica.consumer}`, request);
    // Asked afterwards: a consumer of an earlier life of the stream delivers no reading.
    replica.stream = await this.#info({ ask });
    return replica;
  }

  #info({ ask }: Pick<Connection, 'ask'>): Promise<StreamInfo> {
    return ask<StreamInfo>(`$JS.API.STREAM.INFO.${this.#stream}`);
  }

  /**
   * Reads what was acknowledged before: a message that a majority of the servers has stored comes after
   * it, whichever server the consumer is on. Resolves with the last place before that message.
   */
  async #read(link: Link, replica: Replica, signal: AbortSignal): Promise<number> {
    const before = replica.reached;
    const { seq: place } = await link
      .ask<{ seq: number }>(this.#reading)
      .catch(async (error: unknown) => {
        // Rejects differently if the bucket was removed: it is opened again then.
        await this.#info(link);
        throw error;
      });
    if (place <= before) throw new OutdatedReplica();
    await replica.until(() => replica.reached >= place, signal);
    this.#removeMarks(link, replica);
    return place - 1;
  }

  /** Waits for what the consumer has sent. An observer writes nothing. */
  async #caughtUp(link: Link, replica: Replica, signal: AbortSignal): Promise<number> {
    const what = `$JS.API.CONSUMER.INFO.${this.#stream}.${replica.consumer}`;
    for (;;) {
      const { delivered, num_pending } = await link.ask<ConsumerInfo>(what);
      await replica.until(() => replica.deliveries >= delivered.consumer_seq, signal);
      if (num_pending === 0) return Math.max(replica.reached, replica.stream?.state.last_seq ?? 0);
    }
  }

  /** Removes old marks of removed keys. Without the right to do so, they stay. */
  #removeMarks({ ask }: Link, replica: Replica): void {
    if (replica.hasRemovedMarks) return;
    replica.hasRemovedMarks = true;
    const before = replica.storedAt - (this.#options.marksMs ?? marksMs);
    const isOld = ({ text, storedAt }: Entry): boolean => text === null && storedAt < before;
    const old = [...replica.entries.values()].filter(isOld).slice(0, marksMax);
    for (const { name, revision } of old) {
      // Only up to this revision: the key may exist again. Members that know the mark read again then.
      const request = { filter: `${this.#base}.${tokenOf(name)}`, seq: revision + 1 };
      void ask(`$JS.API.STREAM.PURGE.${this.#stream}`, request).catch(() => undefined);
    }
  }
}

/** Returns the rows that a replica has received. `last`: as in {@link Listing}. */
function listingOf({ entries, stream, reached: revision }: Replica, last: number): Listing {
  const life = `${stream?.created} ${stream?.cluster?.raft_group}`;
  return { rows: new Map(entries), life, revision, last };
}
