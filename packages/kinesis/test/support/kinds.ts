import type { DynamoDbKind } from '@leadership/tools/aws';

const isGiven = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL', 'BACKENDS_BY'].some(
  (name) => process.env[name],
);

/**
 * The emulators that a suite runs on. If the environment names a server or asks for a container,
 * only that one is used; otherwise each that can be started.
 */
export const kinds: readonly (DynamoDbKind | undefined)[] = isGiven
  ? [undefined]
  : ['dynamodb-local', 'dynalite'];
