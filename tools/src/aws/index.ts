/**
 * Real servers for what AWS offers, and a way to them that can be made a bad one: for tests, bench and demo.
 *
 * @packageDocumentation
 */
export { type AwsGround, openAws } from './aws-ground.ts';
export type { AwsServer } from './aws-server.ts';
export { type DynamoDbKind, type DynamoDbOptions, hasDynamoDb, startDynamoDb } from './dynamodb.ts';
export type { AwsFault, FaultScope } from './fault.ts';
export { type AwsProxy, type AwsProxyOptions, awsProxy } from './fault-proxy.ts';
export { startKinesis } from './kinesis.ts';
