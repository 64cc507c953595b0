import type { DynamoDbKind } from '@leadership/tools/aws';

const isGiven = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL', 'BACKENDS_BY'].some((name) => process.env[name]);

/** What a suite runs on: where the environment names a server, or asks for one in a container, that one; else each that can be started. */
export const kinds: readonly (DynamoDbKind | undefined)[] = isGiven ? [undefined] : ['dynamodb-local', 'dynalite'];
