// The rows of a group as the keys of a bucket. An exchange reads them all, and then changes each on the
// condition that it is still at the revision that was read.
import { LeadershipError } from '@leadership/core';
import {
  changedInOrder,
  type Exchanged,
  type Host,
  type Inspection,
  type NamedText,
  type NotificationListener,
  type RowChange,
  type Rows,
  type RowsTraits,
  type ServerExchange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import type { Bucket, Listing } from './bucket.ts';
import { natsError } from './errors.ts';

/** The configuration of the rows. */
export interface NatsRowsOptions {
  readonly bucket: string;
  readonly group: string;
  readonly thresholdMs: number;
  readonly notifications: boolean;
}

/** Each change is a message of its own, and the changes of an exchange share its limit of T/4. */
const changesMax = 64;

/** Returns the rows of a group, over the bucket as one member reaches it. */
export function natsRows(
  bucket: Bucket,
  options: NatsRowsOptions,
  host: Pick<Host, 'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'>,
): Rows {
  const server = new NatsRows(bucket, options, host);
  return serverRows(server, { ...options, host, toError: natsError });
}

class NatsRows implements ServerRows {
  readonly name: string;
  readonly traits: RowsTraits = { changesMax, readsFirst: true };
  readonly #bucket: Bucket;
  readonly #host: Pick<Host, 'incarnation'>;
  #mayCreate = false;

  constructor(bucket: Bucket, options: NatsRowsOptions, host: Pick<Host, 'incarnation'>) {
    this.name = `bucket "${options.bucket}" of NATS, group ${JSON.stringify(options.group)}`;
    this.#bucket = bucket;
    this.#host = host;
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection> {
    this.#mayCreate = mayCreate;
    return { isMissing: !(await this.#bucket.open(mayCreate, signal)) };
  }

  inspect(signal: AbortSignal): Promise<Inspection> {
    return this.open(signal, this.#mayCreate);
  }

  async exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged> {
    const before = request.since as Listing | undefined;
    const listing = await this.#bucket.list(request.mayLag === true, signal);
    const isRestarted = before !== undefined && isOther(before, listing);
    const known = isRestarted || request.isWhole ? undefined : before;
    const make = (change: RowChange, notification: string | undefined): Promise<boolean> =>
      this.#make(listing, change, notification, AbortSignal.any([signal]));
    return {
      outcomes: isRestarted
        ? request.changes.map(() => false)
        : await changedInOrder(request, this.#host.incarnation, make),
      rows: changedSince(known, listing),
      position: listing,
      isWhole: known === undefined,
      ...(isRestarted && { isRestarted }),
    };
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

  async #make(
    { entries }: Listing,
    { name, expected, text }: RowChange,
    notification: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const entry = entries.get(name);
    if ((entry?.text ?? null) !== expected) return false;
    // The mark of a removed key has a revision as well.
    const revision = entry?.revision ?? 0;
    return this.#bucket.write({ name, text, revision, notification }, signal);
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
  return Array.from(before.entries).some(([name, { text, revision }]) => {
    const entry = now.entries.get(name);
    return entry === undefined ? text !== null : entry.revision < revision;
  });
}

/** Returns the rows that differ from those of an earlier reading, or all. */
function changedSince(before: Listing | undefined, now: Listing): readonly NamedText[] {
  const rows = Array.from(now.entries.values());
  if (before === undefined)
    return rows.flatMap(({ name, text }) => (text === null ? [] : [[name, text] as const]));
  return rows
    .filter(({ name, revision }) => before.entries.get(name)?.revision !== revision)
    .map(({ name, text }) => [name, text]);
}
