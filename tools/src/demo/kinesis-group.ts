// Prepares DynamoDB and Kinesis for the demo.
import { openAws } from '../aws/open-aws.ts';
import type { DemoGroup } from './group.ts';

/**
 * Creates a table and a stream for the demo, on the servers that environment variables name or on
 * two local servers.
 */
export async function kinesisGroup(signal: AbortSignal): Promise<DemoGroup> {
  // The AWS SDK's warning about this Node version would disturb the demo's output.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const {
    name,
    tables,
    streams,
    stream,
    [Symbol.asyncDispose]: end,
  } = await openAws({ shards: 1, signal });
  // The members' processes inherit these variables.
  Object.assign(process.env, tables.environment, streams.environment);
  const group = encodeURIComponent(crypto.randomUUID());
  return {
    backend: 'kinesis',
    url: `kinesis://${tables.environment['AWS_REGION']}/${stream}?table=leadership-demo&create=true&group=${group}`,
    home: `separate processes, on ${name}`,
    [Symbol.asyncDispose]: end,
  };
}
