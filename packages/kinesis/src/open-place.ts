// The table and the stream of a place, with clients of their own or those that were given.
import { LeadershipError } from '@leadership/core';
import { dynamoDbOf } from './client.ts';
import type { Credentials } from './credentials.ts';
import type { OpenedStream } from './kinesis-client.ts';
import { keys } from './layout.ts';
import { namedRegion, type PlaceOptions } from './options.ts';
import type { NamedRegion } from './regions.ts';
import type { Stream } from './stream.ts';
import { type Table, tableOf } from './table.ts';

/** A table, and what ends its client. */
export interface OpenedTable {
  readonly table: Table;
  readonly credentials: Credentials;
  close(): void;
}

/** Where a stream is, and which table it is beside. */
export type StreamPlace = Pick<PlaceOptions, 'region' | 'kinesis'> & { readonly stream: string };

/** How a stream is opened. */
export interface StreamOpening {
  /** Default: imports the client for Kinesis. */
  readonly load?: LoadKinesis;
  /** Called with the credentials of the stream's client once that is loaded. */
  readonly opened?: (credentials: Credentials) => void;
}

/** Loads what speaks to Kinesis. */
type LoadKinesis = () => Promise<Pick<typeof import('./kinesis-client.ts'), 'openStreamClient'>>;

const loadKinesis: LoadKinesis = () => import('./kinesis-client.ts');

/** What Node says of a package that is not there. */
const notFound: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const sdk = '@aws-sdk/client-kinesis';

/** The table. Connects to nothing yet. */
export function openTable(place: Pick<PlaceOptions, 'table' | 'region' | 'dynamodb' | 'hashKey' | 'rangeKey'>): OpenedTable {
  const { client, close } = dynamoDbOf(place.dynamodb, place.region);
  const { hashKey = keys.group, rangeKey = keys.item } = place;
  const table = tableOf(client, place.table, { wanted: namedRegion(place)[0], keyNames: { hashKey, rangeKey } });
  return { table, credentials: (options) => (client.config.credentials as Credentials)(options), close };
}

/**
 * The stream beside a table. Its client is loaded with the first request, so that users of a table alone need not install it.
 * Requests reject with `misconfigured-backend` where it is missing.
 */
export function openStream(place: StreamPlace, table: Table, { load = loadKinesis, opened: told }: StreamOpening = {}): OpenedStream {
  const { stream: name } = place;
  const wanted = async (): Promise<NamedRegion> =>
    namedRegion(place)[0] ?? { by: `the client of table "${table.name}"`, region: await table.region() };
  let opening: Promise<OpenedStream> | undefined;
  const open = async (): Promise<OpenedStream> => {
    const { openStreamClient } = await load().catch((error: unknown) => Promise.reject(loadError(name, error)));
    const { stream, credentials, close } = openStreamClient(place, wanted);
    told?.(credentials);
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
    ? `${sdk} is not installed: npm install ${sdk}, or leave out the stream, as a table alone elects`
    : `${sdk} could not be loaded: ${String(cause)}`;
  return new LeadershipError('misconfigured-backend', `stream "${name}": ${sentence}`, { cause });
}
