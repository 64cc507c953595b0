import { monotonicClock } from '@leadership/core/adapter';
import { type Gateway, httpGateway, type Reply } from '../../src/gateway.ts';
import type { EtcdOptions } from '../../src/options.ts';
import { bytesOf, textOf } from '../../src/text.ts';

/** The time limit of a request on a starved machine. Milliseconds. */
const limitMs = 20_000;

/** Requests of an administrator. Disposing closes its connections. */
export interface Admin extends Disposable {
  call(path: string, body: object): Promise<Reply>;
  /** Returns the text of a key; `null` if it does not exist. */
  get(key: string): Promise<string | null>;
  /** Writes a key without a condition. The text may stand for bytes, as in `textOf`. */
  put(key: string, text: string): Promise<void>;
  /** Deletes a key. */
  delete(key: string): Promise<void>;
  /** Returns all keys that begin with the prefix, which ends with a slash, and their texts. */
  entries(prefix: string): Promise<readonly (readonly [key: string, text: string])[]>;
  /** Returns the same, each as `KEY: TEXT`. */
  list(prefix: string): Promise<readonly string[]>;
  /** Deletes all keys that begin with the prefix, which ends with a slash. */
  deleteAll(prefix: string): Promise<void>;
}

/** Connects an administrator. */
export function administrator(options: Omit<EtcdOptions, 'group'>): Admin {
  const host = { clock: monotonicClock, random: Math.random };
  const gateway: Gateway = httpGateway({ thresholdMs: limitMs, ...options }, host);
  const call: Admin['call'] = (path, body) =>
    gateway.call(`/v3/${path}`, body, AbortSignal.timeout(limitMs));
  const entries: Admin['entries'] = async (prefix) => {
    const { kvs = [] } = (await call('kv/range', rangeOf(prefix))) as {
      readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
    };
    return kvs.map(({ key, value = '' }) => [textOf(key), textOf(value)]);
  };
  return {
    call,
    entries,
    async get(key) {
      const { kvs = [] } = (await call('kv/range', { key: bytesOf(key) })) as {
        readonly kvs?: readonly { readonly value?: string }[];
      };
      return kvs[0] === undefined ? null : textOf(kvs[0].value ?? '');
    },
    async put(key, text) {
      await call('kv/put', { key: bytesOf(key), value: bytesOf(text) });
    },
    async delete(key) {
      await call('kv/deleterange', { key: bytesOf(key) });
    },
    list: async (prefix) => (await entries(prefix)).map(([key, text]) => `${key}: ${text}`),
    async deleteAll(prefix) {
      await call('kv/deleterange', rangeOf(prefix));
    },
    [Symbol.dispose]: () => gateway.close(),
  };
}

/** Returns the range of the keys that begin with the prefix, which ends with a slash. */
function rangeOf(prefix: string): { readonly key: string; readonly range_end: string } {
  return { key: bytesOf(prefix), range_end: bytesOf(prefix.replace(/\/$/, '0')) };
}
