import type { EditableRows } from '@leadership/testkit/faults';
import { type KV, Kvm } from '@nats-io/kv';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { textOfToken, tokenOf } from '../../src/keys.ts';

/** The bucket of the tests. */
export const bucketName = 'leadership';

/** A row: its name and its text. */
type Row = readonly [name: string, text: string];

/** Changes buckets as a person does, with the client library of NATS. */
export interface Administrator extends AsyncDisposable {
  readonly client: NatsConnection;
  /** Sends a request to JetStream. Rejects if it is refused. */
  call(what: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the rows of a group. */
  rows(group: string): Promise<readonly Row[]>;
  /** Sets a row on no condition; `null` removes it. */
  put(group: string, name: string, text: string | null): Promise<void>;
  /** Opens the bucket. */
  bucket(): Promise<KV>;
}

/** Connects an administrator. */
export async function administrator(options: ConnectionOptions): Promise<Administrator> {
  const client = await connect({ maxReconnectAttempts: -1, reconnectTimeWait: 50, ...options });
  const bucket = (): Promise<KV> => new Kvm(client).open(bucketName);
  return {
    client,
    bucket,
    async call(what, body = {}) {
      const reply = await client.request(`$JS.API.${what}`, JSON.stringify(body));
      const { error, ...others } = reply.json<Readonly<Record<string, unknown>>>();
      if (error !== undefined) throw new Error(`${what}: ${JSON.stringify(error)}`);
      return others;
    },
    async rows(group) {
      const kv = await bucket();
      const rows: Row[] = [];
      for await (const key of await kv.keys(`${tokenOf(group)}.*`)) {
        const entry = await kv.get(key);
        const name = textOfToken(key.split('.')[1] ?? '');
        if (entry?.operation === 'PUT' && name !== undefined) rows.push([name, entry.string()]);
      }
      return rows;
    },
    async put(group, name, text) {
      const kv = await bucket();
      const key = `${tokenOf(group)}.${tokenOf(name)}`;
      if (text === null) await kv.delete(key);
      else await kv.put(key, text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Returns the rows of a group, edited as a person can. */
export function editableRows(admin: Administrator): EditableRows {
  return {
    // A bucket exists once a member has opened it.
    read: async (group) => new Map(await admin.rows(group).catch(() => [])),
    async write(group, texts, only) {
      const kv = await admin.bucket();
      for (const [name, text] of texts) {
        if (text === null || only?.[0] !== name) await admin.put(group, name, text);
        else {
          const key = `${tokenOf(group)}.${tokenOf(name)}`;
          const entry = await kv.get(key);
          if (entry?.string() !== only[1]) return false;
          const isMade = await kv.put(key, text, { previousSeq: entry.revision }).then(
            () => true,
            () => false,
          );
          if (!isMade) return false;
        }
      }
      return true;
    },
  };
}

/** Writes keys that no member writes: no name of a row, another depth, bytes that are not UTF-8. */
export async function putForeign(admin: Administrator, group: string): Promise<void> {
  const kv = await admin.bucket();
  await kv.put(`${tokenOf(group)}.=zz`, 'no name of a row');
  await kv.put(`${tokenOf(group)}.a.b.c`, 'another depth');
  await kv.put(`${tokenOf(group)}.member=23bytes`, new Uint8Array([0xff, 0x00]));
}
