// The rows of a group as keys of etcd: one key for each row, and one for notifications.
import {
  after,
  type Host,
  type RowChange,
  type RowOutcome,
  type Rows,
  type RowsReading,
} from '@leadership/core/adapter';
import { HealthReporter, retry } from '@leadership/core/internal';
import { etcdError, misconfigured, ReplyError } from './errors.ts';
import type { Gateway, Reply } from './gateway.ts';
import { bytesOf, textOf } from './text.ts';

/** The configuration of the rows. */
export interface EtcdRowsOptions {
  readonly group: string;
  /** The beginning of the keys of all groups. */
  readonly prefix: string;
  readonly thresholdMs: number;
  /** Whether members watch for notifications of one another. */
  readonly notifications: boolean;
}

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
/** Opening takes longer than a request: names are resolved, and passwords are hashed. Milliseconds. */
const openingMsMin = 5000;

/** The rows of a group. */
export class EtcdRows implements Rows {
  readonly name: string;
  readonly #gateway: Gateway;
  readonly #options: EtcdRowsOptions;
  readonly #host: Host;
  readonly #warnings: HealthReporter;
  /** The beginning of the keys of the group. This key itself is the one for notifications. */
  readonly #base: string;

  constructor(gateway: Gateway, options: EtcdRowsOptions, host: Host) {
    this.#base = `${options.prefix}${encodeURIComponent(options.group)}/`;
    this.name = `etcd, keys "${this.#base}"`;
    this.#gateway = gateway;
    this.#options = options;
    this.#host = host;
    this.#warnings = new HealthReporter(host, 'warning');
  }

  async open(signal: AbortSignal): Promise<void> {
    using over = this.#limit();
    const until = AbortSignal.any([signal, over.signal]);
    const { etcdserver } = await this.#gateway.call('/version', undefined, until).catch(this.#fail);
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(String(etcdserver)) ?? [];
    if (major === undefined)
      this.#fail(misconfigured('the server is not etcd: correct the endpoints'));
    if (Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]))
      this.#fail(
        misconfigured(
          `the server is etcd ${String(etcdserver)}, but ${oldest.join('.')} is the oldest that is supported: upgrade it`,
        ),
      );
  }

  async list({ signal }: RowsReading): Promise<ReadonlyMap<string, string>> {
    // Every key of the group begins with the base, and the next character after "/" is "0".
    const range = { key: bytesOf(this.#base), range_end: bytesOf(this.#base.replace(/\/$/, '0')) };
    const { kvs = [] } = (await this.#call('range', range, signal)) as { kvs?: KeyValue[] };
    const rows = kvs.map(({ key, value = '' }) => [
      textOf(key).slice(this.#base.length),
      textOf(value),
    ]) as [string, string][];
    return new Map(rows.filter(([name]) => name !== ''));
  }

  async replace(change: RowChange, signal: AbortSignal): Promise<RowOutcome> {
    const { name, expected, text, isAwaited } = change;
    const key = bytesOf(this.#base + name);
    const condition =
      expected === null
        ? { target: 'CREATE', create_revision: '0' }
        : { target: 'VALUE', value: bytesOf(expected) };
    const written =
      text === null
        ? { request_delete_range: { key } }
        : { request_put: { key, value: bytesOf(text) } };
    const notification = { key: bytesOf(this.#base), value: bytesOf(this.#host.incarnation) };
    const transaction = {
      compare: [{ key, result: 'EQUAL', ...condition }],
      success: isAwaited ? [written, { request_put: notification }] : [written],
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

  listen(wake: () => void, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#host;
    const { notifications, thresholdMs } = this.#options;
    if (!notifications) return Promise.resolve();
    return new Promise((resolve) => {
      const attempt = (succeeded: () => void): Promise<void> => {
        const watching = (): void => {
          succeeded();
          this.#warnings.mend('listen');
          resolve();
          wake();
        };
        return this.#watch({ watching, notified: wake }, signal);
      };
      const broke = (thrown: unknown): boolean => {
        this.#warnings.raise('listen', etcdError(thrown, `${this.name}: members only poll`));
        resolve();
        return true;
      };
      const backOff = { firstMs: thresholdMs / 4, lastMs: 10 * thresholdMs, random };
      void retry({ attempt, broke }, backOff, clock, signal).then(resolve);
    });
  }

  close(): void {
    this.#warnings.mendAll();
    this.#gateway.close();
  }

  #call(what: 'range' | 'txn', body: object, signal: AbortSignal): Promise<Reply> {
    return this.#gateway.call(`/v3/kv/${what}`, body, signal).catch(this.#fail);
  }

  /** Watches for notifications until the signal aborts. Throws when the watch ends before. */
  async #watch(
    { watching, notified }: Readonly<Record<'watching' | 'notified', () => void>>,
    signal: AbortSignal,
  ): Promise<void> {
    // A proxy may hold back a reply that is not complete.
    using silence = this.#limit();
    const until = AbortSignal.any([signal, silence.signal]);
    const request = { create_request: { key: bytesOf(this.#base) } };
    for await (const reply of this.#gateway.stream('/v3/watch', request, until)) {
      const message = (reply['result'] ?? {}) as WatchReply;
      if (message.canceled) throw new ReplyError('watch', message.cancel_reason ?? 'canceled');
      if (message.created) {
        silence[Symbol.dispose]();
        watching();
      }
      if (this.#isNotified(message)) notified();
    }
  }

  /** Returns whether another member has notified this one. */
  #isNotified({ events = [] }: WatchReply): boolean {
    return events.some(({ kv }) => textOf(kv?.value ?? '') !== this.#host.incarnation);
  }

  /** Returns a signal that aborts once opening takes too long, unless it is disposed of before. */
  #limit(): Disposable & { readonly signal: AbortSignal } {
    const { clock } = this.#host;
    const over = new AbortController();
    const limitMs = Math.max(openingMsMin, this.#options.thresholdMs);
    const timer = clock.wake(after(clock.now(), limitMs), () => over.abort());
    return { signal: over.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  readonly #fail = (error: unknown): never => {
    throw etcdError(error, this.name);
  };
}
