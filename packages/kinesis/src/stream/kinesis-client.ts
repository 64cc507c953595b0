// Loaded on demand: no other module imports the SDK's Kinesis client at run time.
import { KinesisClient, type KinesisClientConfig } from '@aws-sdk/client-kinesis';
import { clientDefaults, isClient, type Opened } from '../client/aws-client.ts';
import type { Credentials } from '../client/credentials.ts';
import type { NamedRegion } from '../client/regions.ts';
import type { PlaceOptions } from '../options.ts';
import { type Stream, streamOf } from './stream.ts';

/** Where a stream is. */
export type StreamPlace = Pick<PlaceOptions, 'region' | 'kinesis'> & { readonly stream: string };

/** A stream, with the function that closes its client. */
export interface OpenedStream {
  readonly stream: Stream;
  close(): void;
}

/** Returns the given client, or creates one from the given configuration. Opens no connection. */
export function kinesisOf(
  given: KinesisClient | KinesisClientConfig = {},
  region?: string,
): Opened<KinesisClient> {
  if (isClient(given)) return { client: given, close: () => undefined };
  const client = new KinesisClient({ ...clientDefaults(region), ...given });
  return { client, close: () => client.destroy() };
}

/** Opens the stream of a place, and returns it with the credentials provider of its client. */
export function openStreamClient(
  place: StreamPlace,
  wanted: () => Promise<NamedRegion>,
): OpenedStream & { readonly credentials: Credentials } {
  const { client, close } = kinesisOf(place.kinesis, place.region);
  const credentials: Credentials = (options) => (client.config.credentials as Credentials)(options);
  return { stream: streamOf(client, place.stream, wanted), credentials, close };
}
