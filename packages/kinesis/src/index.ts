/**
 * Leader election on AWS: a DynamoDB table is the ledger. {@link kinesisLeadership} opens a source on it, and so does
 * `openLeadership('kinesis://REGION?group=GROUP&table=TABLE')`.
 *
 * @packageDocumentation
 */
export { backend, kinesisLeadership } from './kinesis-leadership.ts';
export type { KinesisOptions } from './options.ts';
