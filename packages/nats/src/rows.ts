// The rows of a group as the keys of a bucket. A member follows them. An exchange changes keys on the condition
// that they are still at the revision that it has received, and has an answer once it receives the changes.
import { LeadershipError } from '@leadership/core';
import {
  type Exchanged,
  type Inspection,
  ListedExchanges,
  type NotificationListener,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerHost,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Bucket, Listing } from './bucket.ts';
import { natsError } from './errors.ts';
import type { NatsOptions } from './options.ts';
import type { Entry } from './replica.ts';

/** The configuration of the rows. */
export type NatsRowsOptions = Required<
  Pick<NatsOptions, 'bucket' | 'group' | 'thresholdMs' | 'notifications'>
>;

/** Each change is a message of its own, and the changes of an exchange share its limit of T/4. */
const changesMax = 64;

/** Returns the rows of a group, over the bucket as one member reaches it. */
export function natsRows(bucket: Bucket, options: NatsRowsOptions, host: ServerHost): Rows {
  return serverRows(new NatsRows(bucket, options, host), { ...options, host, toError: natsError });
}

class NatsRows implements ServerRows {
  readonly name: string;
  readonly traits: RowsTraits = { changesMax, readsFirst: true };
  readonly #bucket: Bucket;
  readonly #exchanges: ListedExchanges<Entry, Listing>;

  constructor(bucket: Bucket, options: NatsRowsOptions, { incarnation }: ServerHost) {
    this.name = `bucket "${options.bucket}" of NATS, group ${JSON.stringify(options.group)}`;
    this.#bucket = bucket;
    this.#exchanges = new ListedExchanges({ incarnation, isOther });
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    return { isMissing: !(await this.#bucket.open(mayCreate, signal)) };
  }

  inspect(signal: AbortSignal): Promise<Inspection> {
    return this.open(signal, false);
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    return this.#exchanges.exchanged(request, {
      make: ({ name, text }, row, notification) => {
        // The mark of a removed key has a revision as well.
        const change = { name, text, revision: row?.revision ?? 0, notification };
        return this.#bucket.write(change, AbortSignal.any([signal]));
      },
      list: () => this.#bucket.list(request.mayLag === true, signal),
      received: () => this.#bucket.received(signal),
    });
  }

  /** Follows the rows until the signal aborts. Throws when the connection ends before. */
  async listen({ listening, notified }: NotificationListener, signal: AbortSignal): Promise<void> {
    for await (const entry of this.#bucket.watch(signal)) {
      if (entry === undefined) listening();
      else if (entry.notification !== undefined) notified(entry.notification);
      // A text of another kind says that rows may have changed: a person may have removed this one.
      else if (entry.text === null) notified('');
    }
  }

  close(): void {
    this.#bucket.close();
  }
}

/**
 * Returns whether changes that the reader knows are lost: the stream was created again, ends before them, or
 * a row went back. A replica that only lags behind is none to answer from.
 */
function isOther(before: Listing, now: Listing): boolean {
  if (now.life !== before.life || now.last < before.revision) return true;
  if (now.revision < before.revision)
    throw new LeadershipError('unreachable', 'the server lags behind what was read before');
  return Array.from(before.rows).some(([name, { text, revision }]) => {
    const entry = now.rows.get(name);
    return entry === undefined ? text !== null : entry.revision < revision;
  });
}
