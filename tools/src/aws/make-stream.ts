// Creates a Kinesis stream for a test.
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  KinesisClient,
} from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { AwsServer } from './aws-server.ts';

/** The stream to create. */
export interface StreamToMake {
  readonly name: string;
  readonly shards: number;
  readonly signal?: AbortSignal;
}

/**
 * Polling interval for the state of a new stream, in milliseconds. AWS takes about ten seconds to
 * create one.
 */
const periodMs = 100;

/** Creates a stream. Resolves once the stream accepts records. Disposing deletes it. */
export async function makeStream(
  server: AwsServer,
  { name, shards, signal }: StreamToMake,
): Promise<AsyncDisposable> {
  const client = clientFor(server);
  const StreamName = name;
  const remove = async (): Promise<void> => {
    await client.send(new DeleteStreamCommand({ StreamName })).catch(() => undefined);
    client.destroy();
  };
  try {
    await client.send(new CreateStreamCommand({ StreamName, ShardCount: shards }));
    while (!(await isActive(client, StreamName)))
      await pause(periodMs, undefined, { ...(signal && { signal }) });
    return { [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function isActive(client: KinesisClient, StreamName: string): Promise<boolean> {
  const { StreamDescriptionSummary } = await client.send(
    new DescribeStreamSummaryCommand({ StreamName }),
  );
  return StreamDescriptionSummary?.StreamStatus === 'ACTIVE';
}

/**
 * Returns a client with the same endpoint and credentials that members read from their environment.
 */
function clientFor({ url, environment }: AwsServer): KinesisClient {
  const {
    AWS_REGION: region = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = environment;
  const sessionToken = process.env['AWS_SESSION_TOKEN'];
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  // The HTTP/1.1 handler, because over HTTP/2 the client opens a session for every request.
  return new KinesisClient({
    endpoint: url,
    region,
    credentials,
    requestHandler: new NodeHttpHandler(),
  });
}
