import { openAws } from '../aws/aws-ground.ts';
import type { Venue } from './backends.ts';
import { processActor } from './process-actor.ts';

/** A table and a stream of its own: on the servers that the environment names, or on two of this host. */
export async function kinesisVenue(signal: AbortSignal): Promise<Venue> {
  // What the AWS SDK thinks of this Node is no part of the story.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { name, tables, streams, stream, [Symbol.asyncDispose]: end } = await openAws({ shards: 1, signal });
  // The members' processes inherit it.
  Object.assign(process.env, tables.environment, streams.environment);
  const group = encodeURIComponent(crypto.randomUUID());
  return {
    backend: 'kinesis',
    url: `kinesis://${tables.environment['AWS_REGION']}/${stream}?table=leadership-demo&create=true&group=${group}`,
    start: processActor,
    crashed: 'killed (SIGKILL)',
    home: `processes of their own, on ${name}`,
    [Symbol.asyncDispose]: end,
  };
}
