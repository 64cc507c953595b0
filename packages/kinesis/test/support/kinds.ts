import type { DynamoDbKind } from '@leadership/tools/aws';

const isGiven = Boolean(process.env['AWS_ENDPOINT_URL_DYNAMODB'] || process.env['AWS_ENDPOINT_URL']);

/** What a suite runs on: where the environment names a server, as LocalStack, that one; else each that can be started. */
export const kinds: readonly (DynamoDbKind | undefined)[] = isGiven ? [undefined] : ['dynamodb-local', 'dynalite'];
