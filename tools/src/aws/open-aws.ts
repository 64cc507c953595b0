// Starts DynamoDB and Kinesis with a stream, for the demo and the benchmarks.
import { assembled } from '../backends/assembled.ts';
import type { AwsServer } from './aws-server.ts';
import { startDynamoDb } from './dynamodb.ts';
import { startKinesis } from './kinesis.ts';
import { makeStream } from './make-stream.ts';

/**
 * DynamoDB, Kinesis, and a new stream. Disposing deletes the stream and ends the servers that were
 * started.
 */
export interface AwsServices extends AsyncDisposable {
  /** The names of both servers. */
  readonly name: string;
  readonly tables: AwsServer;
  readonly streams: AwsServer;
  /** The name of the stream. */
  readonly stream: string;
}

/** Opens both services: those that environment variables name, or two local servers. */
export function openAws({
  shards,
  signal,
}: {
  readonly shards: number;
  readonly signal?: AbortSignal;
}): Promise<AwsServices> {
  const given = signal && { signal };
  return assembled(async (keep) => {
    const tables = keep(await startDynamoDb({ ...given }));
    const streams = keep(await startKinesis(signal));
    const stream = `leadership-${crypto.randomUUID()}`;
    keep(await makeStream(streams, { name: stream, shards, ...given }));
    return { name: `${tables.name} and ${streams.name}`, tables, streams, stream };
  });
}
