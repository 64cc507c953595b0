import { eventually } from '@leadership/testkit/adapter';
import { createInbox } from '@nats-io/transport-node';
import type { Administrator } from './administrator.ts';

/** A bucket as it was once, in the form of `nats stream backup`. */
export interface Backup {
  readonly config: object;
  readonly state: object;
  readonly chunks: readonly Uint8Array[];
}

/** The time for a server to store a part of a backup, on a starved machine. Milliseconds. */
const chunkMsMax = 30_000;

/** Copies a stream without its consumers, as `nats stream backup` does. */
export async function backUp({ client, call }: Administrator, stream: string): Promise<Backup> {
  const inbox = createInbox();
  const messages = client.subscribe(inbox);
  const request = { deliver_subject: inbox, no_consumers: true };
  const { config, state } = await call(`STREAM.SNAPSHOT.${stream}`, request);
  const chunks: Uint8Array[] = [];
  for await (const message of messages) {
    if (message.data.length === 0) break;
    chunks.push(message.data);
    message.respond();
  }
  return { config: config as object, state: state as object, chunks };
}

/** Replaces a stream by an earlier copy, as `nats stream restore` does once it was removed. */
export async function restored(
  { client, call }: Administrator,
  stream: string,
  { config, state, chunks }: Backup,
): Promise<void> {
  await call(`STREAM.DELETE.${stream}`);
  const { deliver_subject: to } = await call(`STREAM.RESTORE.${stream}`, { config, state });
  const send = (chunk: Uint8Array): ReturnType<typeof client.request> =>
    eventually('the server of this connection knows who receives the backup', () =>
      client.request(String(to), chunk, { timeout: chunkMsMax }).catch((error: unknown) => {
        if (String(error).includes('no responders')) return undefined;
        throw error;
      }),
    );
  for (const chunk of chunks) await send(chunk);
  const { error } = (await send(new Uint8Array())).json<{ readonly error?: object }>();
  if (error !== undefined) throw new Error(`the restore failed: ${JSON.stringify(error)}`);
}
