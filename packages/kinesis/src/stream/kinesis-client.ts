// Opens the client for a stream. It is loaded on demand: no other module imports the SDK's Kinesis
// client at run time.
import { KinesisClient, type KinesisClientConfig } from '@aws-sdk/client-kinesis';
import { clientDefaults, isClient, type Opened, openedClient } from '../client/aws-client.ts';
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
  return isClient(given)
    ? openedClient(given)
    : openedClient(new KinesisClient({ ...clientDefaults(region), ...given }), 'own');
}

/** Opens the stream of a place, and returns it with the credentials provider of its client. */
export function openStreamClient(
  place: StreamPlace,
  wanted: () => Promise<NamedRegion>,
): OpenedStream & { readonly credentials: Credentials } {
  const { client, credentials, close } = kinesisOf(place.kinesis, place.region);
  return { stream: streamOf(client, place.stream, wanted), credentials, close };
}
