import { startDynamoDb } from '../aws/dynamodb.ts';
import type { Venue } from './backends.ts';
import { processActor } from './process-actor.ts';

/** A table of its own: in the DynamoDB that the environment names, or one of this host. */
export async function kinesisVenue(signal: AbortSignal): Promise<Venue> {
  const server = await startDynamoDb({ signal });
  // The members' processes inherit it. What the AWS SDK thinks of this Node is no part of the story.
  Object.assign(process.env, server.environment, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
  return {
    backend: 'kinesis',
    url: `kinesis://${server.environment['AWS_REGION']}?table=leadership-demo&create=true&group=${encodeURIComponent(crypto.randomUUID())}`,
    start: processActor,
    crashed: 'killed (SIGKILL)',
    home: `processes of their own, on ${server.name}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
