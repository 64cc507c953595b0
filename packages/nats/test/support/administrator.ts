import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
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

/** Writes keys that no member writes: foreign rows, bytes that are not UTF-8, and half of a record. */
export async function putGarbage(
  admin: Administrator,
  group: string,
  partition: number,
): Promise<void> {
  const text = new Map(await admin.rows(group)).get(`partition#${partition}`) ?? '';
  await admin.put(group, 'README', 'not a partition');
  await admin.put(group, 'partition#x', '{"id":7}');
  await admin.put(group, `partition#${partition}`, text.slice(0, text.length / 2));
  const kv = await admin.bucket();
  await kv.put(`${tokenOf(group)}.=zz`, 'no name of a row');
  await kv.put(`${tokenOf(group)}.a.b.c`, 'another depth');
  await kv.put(`${tokenOf(group)}.member=23bytes`, new Uint8Array([0xff, 0x00]));
}

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  admin: Administrator,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const kv = await admin.bucket();
  const key = `${tokenOf(group)}.${tokenOf(`partition#${partition}`)}`;
  const session = `later-${randomUUID()}/1`;
  const opened = { release: 99, kind, version: 0, thresholdMs, member: 'later', proof: ['else'] };
  await admin.put(group, `session#${session}`, JSON.stringify(opened));
  for (;;) {
    const entry = await kv.get(key);
    const before = JSON.parse(entry?.string() || '{}') as {
      life?: string;
      version?: number;
      token?: string;
    };
    const { life, version = 0, token: last = '0' } = before;
    const token = String(BigInt(last) + 1n);
    const next = { release: 99, proof: ['else'], kind, life, version: version + 1, session, token };
    const isMade = await kv
      .put(key, JSON.stringify(next), { previousSeq: entry?.revision ?? 0 })
      .then(
        () => true,
        () => false,
      );
    if (isMade) return;
  }
}

/** Restores the rows of the group as they were two renewals ago, as a restore of a backup does. */
export async function rollBack(admin: Administrator, group: string): Promise<void> {
  const sessions = (all: readonly Row[]): string =>
    all
      .filter(([name]) => name.startsWith('session#'))
      .map(([, text]) => text)
      .join();
  const kept = await admin.rows(group);
  for (let renewals = 0, last = sessions(kept); renewals < 2; ) {
    await pause(10);
    const now = sessions(await admin.rows(group));
    if (now !== last) renewals += 1;
    last = now;
  }
  const names = new Set(kept.map(([name]) => name));
  const lost = (await admin.rows(group)).filter(([name]) => !names.has(name));
  await Promise.all([
    ...kept.map(([name, text]) => admin.put(group, name, text)),
    ...lost.map(([name]) => admin.put(group, name, null)),
  ]);
}
