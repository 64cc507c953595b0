// Opens the stream of a place, with the given client or with a new one.
import { LeadershipError } from '@leadership/core';
import type { Credentials } from '../client/credentials.ts';
import type { NamedRegion } from '../client/regions.ts';
import { namedRegion } from '../options.ts';
import type { Table } from '../table/table.ts';
import type { OpenedStream, StreamPlace } from './kinesis-client.ts';
import type { Stream } from './stream.ts';

/** How to open a stream. */
export interface StreamOpening {
  /** Loads the Kinesis client. Default: imports it. */
  readonly load?: LoadKinesis;
  /** Called with the credentials provider of the stream's client, once that is loaded. */
  readonly opened?: (credentials: Credentials) => void;
}

/** Loads the module that uses the Kinesis client. */
type LoadKinesis = () => Promise<Pick<typeof import('./kinesis-client.ts'), 'openStreamClient'>>;

const loadKinesis: LoadKinesis = () => import('./kinesis-client.ts');

/** The codes by which Node reports a missing package. */
const notFound: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const sdk = '@aws-sdk/client-kinesis';

/**
 * Opens the stream beside a table. The first request loads the Kinesis client, so that users of a
 * table alone need not install it. Requests reject with `misconfigured-backend` if it is missing.
 */
export function openStream(
  place: StreamPlace,
  table: Table,
  { load = loadKinesis, opened: notify }: StreamOpening = {},
): OpenedStream {
  const { stream: name } = place;
  const wanted = async (): Promise<NamedRegion> =>
    namedRegion(place)[0] ?? {
      by: `the client of table "${table.name}"`,
      region: await table.region(),
    };
  let opening: Promise<OpenedStream> | undefined;
  const open = async (): Promise<OpenedStream> => {
    const { openStreamClient } = await load().catch((error: unknown) =>
      Promise.reject(loadError(name, error)),
    );
    const { stream, credentials, close } = openStreamClient(place, wanted);
    notify?.(credentials);
    return { stream, close };
  };
  const opened = async (): Promise<Stream> => {
    opening ??= open();
    return (await opening).stream;
  };
  return {
    stream: {
      kind: 'stream',
      name,
      region: async () => (await opened()).region(),
      openShards: async (signal) => (await opened()).openShards(signal),
      position: async (shard, from, signal) => (await opened()).position(shard, from, signal),
      read: async (position, signal) => (await opened()).read(position, signal),
      append: async (entries, signal) => (await opened()).append(entries, signal),
    },
    close: () => void opening?.then(({ close }) => close()).catch(() => undefined),
  };
}

function loadError(name: string, cause: unknown): LeadershipError {
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: string };
  const isMissing = notFound.includes(code) && message?.includes(sdk);
  const sentence = isMissing
    ? `${sdk} is not installed: run npm install ${sdk}, or omit the stream (a table alone is sufficient)`
    : `${sdk} failed to load: ${String(cause)}`;
  return new LeadershipError('misconfigured-backend', `stream "${name}": ${sentence}`, { cause });
}
