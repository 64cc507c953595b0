// Loaded on demand only: nothing else here imports the SDK's client for Kinesis at run time.
import { KinesisClient, type KinesisClientConfig } from '@aws-sdk/client-kinesis';
import { clientDefaults, isClient, type Opened } from './client.ts';
import type { Credentials } from './credentials.ts';
import type { StreamPlace } from './open-place.ts';
import type { NamedRegion } from './regions.ts';
import { type Stream, streamOf } from './stream.ts';

/** A stream, and what ends its client. */
export interface OpenedStream {
  readonly stream: Stream;
  close(): void;
}

/** The client that was given, or one made as `given` says. Connects to nothing yet. */
export function kinesisOf(given: KinesisClient | KinesisClientConfig = {}, region?: string): Opened<KinesisClient> {
  if (isClient(given)) return { client: given, close: () => undefined };
  const client = new KinesisClient({ ...clientDefaults(region), ...given });
  return { client, close: () => client.destroy() };
}

/** The stream of that place, and what its client gets credentials from. */
export function openStreamClient(
  place: StreamPlace,
  wanted: () => Promise<NamedRegion>,
): OpenedStream & { readonly credentials: Credentials } {
  const { client, close } = kinesisOf(place.kinesis, place.region);
  const credentials: Credentials = (options) => (client.config.credentials as Credentials)(options);
  return { stream: streamOf(client, place.stream, wanted), credentials, close };
}
