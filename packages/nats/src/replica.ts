// The rows of a group as a consumer of the stream delivers them: each in the order of the stream.
import { EventEmitter, on, once } from 'node:events';
import { textOfBytes } from '@leadership/core/adapter';
import type { Msg } from '@nats-io/transport-node';
import { textOfToken } from './keys.ts';
import type { StreamInfo } from './settings.ts';

/** The header in which a change notifies other members. */
export const notificationHeader = 'Leadership-Notification';
/** The header by which buckets mark removed keys, and that of servers which remove keys themselves. */
export const operationHeader = 'KV-Operation';
const serversMarker = 'Nats-Marker-Reason';

/** The last change of a row. */
export interface Entry {
  readonly name: string;
  /** `null` if it removed the row. */
  readonly text: string | null;
  /** The place of the change in the stream. */
  readonly revision: number;
  readonly notification: string | undefined;
  /** When the server stored it, by its clock. Milliseconds. */
  readonly storedAt: number;
}

/** Where a message stands, as its reply subject says, and the number of the delivery to this consumer. */
type Place = Pick<Entry, 'revision' | 'storedAt'> & { readonly delivery: number };

/** The rows as they were at one place of the stream, which only moves on. */
export class Replica {
  /** The last change of each row, by its name. */
  readonly entries: Map<string, Entry> = new Map();
  /** The name of the consumer. */
  readonly consumer: string;
  /** The stream, as it was once this replica followed it. */
  stream: StreamInfo | undefined;
  /** Whether a reading has had an answer from it, so that it has all rows. */
  hasRead: boolean = false;
  /** Whether old marks of removed keys were removed. */
  hasRemovedMarks: boolean = false;
  /** The place of the last message that was delivered. */
  reached: number = 0;
  /** When the server stored it, by its clock. Milliseconds. */
  storedAt: number = 0;
  /** The number of messages that were delivered. */
  deliveries: number = 0;
  readonly #over = new AbortController();
  /** Emits each message: the change of a row, or `undefined` for another one. */
  readonly #messages = new EventEmitter<{ taken: [Entry | undefined] }>().setMaxListeners(0);

  constructor(consumer: string) {
    this.consumer = consumer;
  }

  /** Takes a message. The replica ends with one that is missing. */
  take(message: Msg): void {
    if (this.#over.signal.aborted) return;
    const place = placeOf(message.reply ?? '');
    if (place?.delivery !== this.deliveries + 1) {
      const why = message.headers?.description || 'a message was not delivered';
      return this.end(new Error(`the consumer of this member has ended: ${why}`));
    }
    this.deliveries = place.delivery;
    this.reached = place.revision;
    this.storedAt = place.storedAt;
    const entry = entryOf(message, place);
    if (entry !== undefined) this.entries.set(entry.name, entry);
    this.#messages.emit('taken', entry);
  }

  /** Ends the replica. */
  end(reason: Error): void {
    this.#over.abort(reason);
  }

  /** Yields `undefined` at once, and then each later change of a row, until the replica ends. */
  async *follow(signal: AbortSignal): AsyncGenerator<Entry | undefined> {
    const until = AbortSignal.any([signal, this.#over.signal]);
    try {
      const taken = on(this.#messages, 'taken', { signal: until });
      yield undefined;
      for await (const [entry] of taken) if (entry !== undefined) yield entry as Entry;
    } finally {
      until.throwIfAborted();
    }
  }

  /** Resolves once the condition holds. Rejects when the replica has ended, or the signal aborts. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#over.signal]);
    while (!condition()) {
      await once(this.#messages, 'taken', { signal: until }).catch(() => undefined);
      until.throwIfAborted();
    }
  }
}

/** Returns the change of a row; `undefined` if the message is of another kind. */
function entryOf({ subject, data, headers }: Msg, place: Place): Entry | undefined {
  const [, , , token, ...rest] = subject.split('.');
  const name = token === undefined || rest.length > 0 ? undefined : textOfToken(token);
  if (name === undefined) return undefined;
  const isRemoved = headers?.has(operationHeader) || headers?.has(serversMarker);
  const text = isRemoved ? null : textOfBytes(data);
  const notification = headers?.get(notificationHeader) || undefined;
  return { name, text, revision: place.revision, storedAt: place.storedAt, notification };
}

/**
 * Returns where a message stands: `$JS.ACK.STREAM.CONSUMER.…`, with two more tokens before the stream on
 * servers that name the domain and the account.
 */
function placeOf(reply: string): Place | undefined {
  const tokens = reply.split('.');
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK') return undefined;
  const [, revision, delivery, storedNs] = tokens.slice(tokens.length > 9 ? 6 : 4).map(Number);
  if (revision === undefined || delivery === undefined || storedNs === undefined) return undefined;
  return { revision, delivery, storedAt: storedNs / 1e6 };
}
