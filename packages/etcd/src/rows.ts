// The rows of a group as keys of etcd: one key for each row, and one for notifications.
import {
  type Host,
  misconfigured,
  type NotificationListener,
  type RowOutcome,
  type Rows,
  type RowsOpening,
  type ServerChange,
  type ServerRows,
  serverRows,
} from '@leadership/core/adapter';
import { etcdError, ReplyError } from './errors.ts';
import type { Gateway, Reply } from './gateway.ts';
import type { EtcdOptions } from './options.ts';
import { bytesOf, textOf } from './text.ts';

/** The configuration of the rows. */
export type EtcdRowsOptions = Required<
  Pick<EtcdOptions, 'group' | 'prefix' | 'thresholdMs' | 'notifications'>
>;

/** A key and its value, in Base64. An empty value is left out. */
interface KeyValue {
  readonly key: string;
  readonly value?: string;
}

/** The part of a message of a watch that is used. */
interface WatchReply {
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly cancel_reason?: string;
  readonly events?: readonly { readonly kv?: KeyValue }[];
}

/** The oldest release line that is supported. Older ones have no watch that ends with the leader. */
const oldest = [3, 5] as const;
/** Returns the rows of a group, over the gateway of one member. */
export function etcdRows(gateway: Gateway, options: EtcdRowsOptions, host: Host): Rows {
  const server = new EtcdRows(gateway, options);
  return serverRows(server, { ...options, host, toError: etcdError });
}

class EtcdRows implements ServerRows {
  readonly name: string;
  readonly #gateway: Gateway;
  /** The beginning of the keys of the group. This key itself is the one for notifications. */
  readonly #base: string;

  constructor(gateway: Gateway, options: EtcdRowsOptions) {
    this.#base = `${options.prefix}${encodeURIComponent(options.group)}/`;
    this.name = `etcd, keys "${this.#base}"`;
    this.#gateway = gateway;
  }

  /** Creates nothing: keys need no place. */
  async open({ signal }: RowsOpening): Promise<undefined> {
    const { etcdserver } = await this.#gateway.call('/version', undefined, signal);
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(String(etcdserver)) ?? [];
    if (major === undefined) throw misconfigured('the server is not etcd: correct the endpoints');
    if (Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]))
      throw misconfigured(
        `the server is etcd ${String(etcdserver)}, but ${oldest.join('.')} is the oldest that is supported: upgrade it`,
      );
  }

  async list(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    // Every key of the group begins with the base, and the next character after "/" is "0".
    const range = { key: bytesOf(this.#base), range_end: bytesOf(this.#base.replace(/\/$/, '0')) };
    const { kvs = [] } = (await this.#call('range', range, signal)) as { kvs?: KeyValue[] };
    const rows = kvs.map(({ key, value = '' }) => [
      textOf(key).slice(this.#base.length),
      textOf(value),
    ]) as [string, string][];
    return new Map(rows.filter(([name]) => name !== ''));
  }

  async replace(change: ServerChange, signal: AbortSignal): Promise<RowOutcome> {
    const { name, expected, text, notification } = change;
    const key = bytesOf(this.#base + name);
    const condition =
      expected === null
        ? { target: 'CREATE', create_revision: '0' }
        : { target: 'VALUE', value: bytesOf(expected) };
    const written =
      text === null
        ? { request_delete_range: { key } }
        : { request_put: { key, value: bytesOf(text) } };
    const notified = { key: bytesOf(this.#base), value: bytesOf(notification ?? '') };
    const transaction = {
      compare: [{ key, result: 'EQUAL', ...condition }],
      success: notification === undefined ? [written] : [written, { request_put: notified }],
      failure: [{ request_range: { key } }],
    };
    const reply = (await this.#call('txn', transaction, signal)) as {
      succeeded?: boolean;
      responses?: readonly { readonly response_range?: { readonly kvs?: readonly KeyValue[] } }[];
    };
    if (reply.succeeded === true) return { isDone: true };
    const [found] = reply.responses?.[0]?.response_range?.kvs ?? [];
    return { isDone: false, found: found === undefined ? null : textOf(found.value ?? '') };
  }

  /** Watches for notifications until the signal aborts. Throws when the watch ends before. */
  async listen({ listening, notified }: NotificationListener, signal: AbortSignal): Promise<void> {
    const request = { create_request: { key: bytesOf(this.#base) } };
    for await (const reply of this.#gateway.stream('/v3/watch', request, signal)) {
      const {
        canceled,
        cancel_reason,
        created,
        events = [],
      } = (reply['result'] ?? {}) as WatchReply;
      if (canceled) throw new ReplyError('watch', cancel_reason ?? 'canceled');
      if (created) listening();
      for (const { kv } of events) notified(textOf(kv?.value ?? ''));
    }
  }

  close(): void {
    this.#gateway.close();
  }

  #call(what: 'range' | 'txn', body: object, signal: AbortSignal): Promise<Reply> {
    return this.#gateway.call(`/v3/kv/${what}`, body, signal);
  }
}
