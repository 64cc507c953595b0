// LocalStack in a container, by testcontainers. Each service gets its own container, so that the
// container can end with its test.
import { setTimeout as pause } from 'node:timers/promises';
import { startContainer } from '../backends/by-containers.ts';
import { type AwsServer, type AwsService, environmentFor } from './aws-server.ts';

/**
 * Returns the image: `LOCALSTACK_IMAGE`, or the last release that needs no token. Newer releases
 * also need `LOCALSTACK_AUTH_TOKEN`.
 */
function image(): string {
  return process.env['LOCALSTACK_IMAGE'] || 'localstack/localstack:4.14.0';
}

/**
 * Timeout for the first successful request, which starts the service. Generous, for a starved
 * machine. Milliseconds.
 */
const timeoutMs = 120_000;
/** Pause between two requests of `serving`, in milliseconds. */
const periodMs = 100;

/**
 * Starts a container with this service. Resolves once the service responds. Disposing removes the
 * container.
 */
export async function localStack(service: AwsService, signal?: AbortSignal): Promise<AwsServer> {
  const { LocalstackContainer } = await import('@testcontainers/localstack');
  const container = await startContainer(
    new LocalstackContainer(image()).withEnvironment(variables(service)),
    signal,
  );
  const url = container.getConnectionUri();
  const end = async (): Promise<void> => void (await container.stop());
  try {
    await serving(url, service, signal);
    return {
      name: `${image()} in a container`,
      url,
      environment: environmentFor(service, url),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function variables(service: AwsService): Record<string, string> {
  const token = process.env['LOCALSTACK_AUTH_TOKEN'];
  return {
    SERVICES: service,
    STRICT_SERVICE_LOADING: '1',
    DISABLE_EVENTS: '1',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DYNAMODB_IN_MEMORY: '1',
    KINESIS_LATENCY: '10',
    ...(token && { LOCALSTACK_AUTH_TOKEN: token }),
  };
}

/**
 * Resolves after a first successful request. LocalStack starts a service on its first request and
 * returns errors until then.
 */
async function serving(
  url: string,
  service: AwsService,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (
    const until = performance.now() + timeoutMs;
    performance.now() < until;
    await pause(periodMs)
  ) {
    signal?.throwIfAborted();
    if (await lists(url, service).catch(() => false)) return;
  }
  throw new Error(
    `LocalStack in a container does not serve ${service} after ${timeoutMs} ms; DEBUG=testcontainers* shows its log`,
  );
}

/** Requests that list tables or streams. Emulators ignore the signature. */
const listing = {
  dynamodb: { target: 'DynamoDB_20120810.ListTables', type: 'application/x-amz-json-1.0' },
  kinesis: { target: 'Kinesis_20131202.ListStreams', type: 'application/x-amz-json-1.1' },
} as const;

async function lists(url: string, service: AwsService): Promise<boolean> {
  const { target, type } = listing[service];
  const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = environmentFor(service, url);
  const authorization = `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
  const headers = {
    'content-type': type,
    'x-amz-target': target,
    'x-amz-date': '20260101T000000Z',
    authorization,
  };
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: '{}',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await answer.text();
  return answer.ok;
}
