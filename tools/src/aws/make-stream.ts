import { setTimeout as pause } from 'node:timers/promises';
import { CreateStreamCommand, DeleteStreamCommand, DescribeStreamSummaryCommand, KinesisClient } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { AwsServer } from './aws-server.ts';

/** What is made. */
export interface StreamToMake {
  readonly name: string;
  readonly shards: number;
  readonly signal?: AbortSignal;
}

/** How often a stream that is being made is looked at. AWS takes some ten seconds for one. Milliseconds. */
const periodMs = 100;

/** Makes a stream on that server. Resolves once records can be put there; disposing deletes it. */
export async function makeStream(server: AwsServer, { name, shards, signal }: StreamToMake): Promise<AsyncDisposable> {
  const client = clientFor(server);
  const StreamName = name;
  const remove = async (): Promise<void> => {
    await client.send(new DeleteStreamCommand({ StreamName })).catch(() => undefined);
    client.destroy();
  };
  try {
    await client.send(new CreateStreamCommand({ StreamName, ShardCount: shards }));
    while (!(await isActive(client, StreamName))) await pause(periodMs, undefined, { ...(signal && { signal }) });
    return { [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function isActive(client: KinesisClient, StreamName: string): Promise<boolean> {
  const { StreamDescriptionSummary } = await client.send(new DescribeStreamSummaryCommand({ StreamName }));
  return StreamDescriptionSummary?.StreamStatus === 'ACTIVE';
}

/** As the members find their way: by what the environment says, and what is made up for the rest. */
function clientFor({ url, environment }: AwsServer): KinesisClient {
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = environment;
  const sessionToken = process.env['AWS_SESSION_TOKEN'];
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  // HTTP/1.1: over HTTP/2 the client opens a session for every request.
  return new KinesisClient({ endpoint: url, region, credentials, requestHandler: new NodeHttpHandler() });
}
