// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Leader election on AWS. A DynamoDB table decides, and a Kinesis stream carries wake-up
 * notifications. {@link kinesisLeadership} opens a source on them, and so does
 * `openLeadership('kinesis://REGION/STREAM?group=GROUP&table=TABLE')`.
 *
 * @packageDocumentation
 */
export { backend, kinesisLeadership, openKinesisLeadership } from './kinesis-leadership.ts';
export type { KinesisOptions } from './options.ts';
export type { KinesisUrlOptions } from './url-options.ts';
