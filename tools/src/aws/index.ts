/**
 * Real servers for AWS services, and a proxy that injects faults: for tests, benchmarks and the
 * demo.
 *
 * @packageDocumentation
 */

export type { AwsServer } from './aws-server.ts';
export { type DynamoDbOptions, hasDynamoDb, startDynamoDb } from './dynamodb.ts';
export type { AwsFault, FaultScope } from './fault.ts';
export { type AwsProxy, awsProxy } from './fault-proxy.ts';
export { startKinesis } from './kinesis.ts';
export { type AwsServices, openAws } from './open-aws.ts';
