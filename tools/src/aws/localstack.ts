// LocalStack in a container of this host, by Docker's own client: one container for each service that is asked for, so that nobody has to
// agree with anybody when it ends.
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { type Container, startContainer } from '../backends/container.ts';
import { dockerAnswers, hasImage, haveImage } from '../backends/docker.ts';
import { type AwsServer, type AwsService, environmentFor } from './aws-server.ts';

/** The last release that asks for no token. */
const tokenless = '4.14.0';
/** For a starved machine, and a first request that starts the service. Milliseconds. */
const patienceMs = 120_000;
/** How often is asked whether it serves. Milliseconds. */
const periodMs = 100;
/** Inside its container. */
const gateway = 4566;

/**
 * The image that can be run here; `undefined` where Docker does not answer, or has no such image and nobody asked for one.
 * `LOCALSTACK_VERSION` asks: then it is fetched, and what is newer than 4.14.0 needs `LOCALSTACK_AUTH_TOKEN` beside it.
 */
export async function localStackImage(signal?: AbortSignal): Promise<string | undefined> {
  const asked = process.env['LOCALSTACK_VERSION'];
  if (asked && asked !== tokenless && !process.env['LOCALSTACK_AUTH_TOKEN'])
    throw new Error(`LOCALSTACK_VERSION ${asked} needs LOCALSTACK_AUTH_TOKEN: the last that runs without a token is ${tokenless}`);
  const image = `localstack/localstack:${asked || tokenless}`;
  if (!(await dockerAnswers())) {
    if (asked) process.stderr.write(`leadership: no ${image}, as no engine answers Docker\n`);
    return undefined;
  }
  if (!asked) return (await hasImage(image, signal)) ? image : undefined;
  await haveImage(image, signal);
  return image;
}

/** Starts that image with one service. Resolves once it serves; disposing removes the container, should this process die first, too. */
export async function localStackContainer(image: string, service: AwsService, signal?: AbortSignal): Promise<AwsServer> {
  signal?.throwIfAborted();
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const options = ['--publish', `127.0.0.1:${port}:${gateway}`, ...variables(service)];
  const container = await startContainer('localstack', image, options, (started) => serving(started, url, service, signal));
  const dispose = (): Promise<void> => container[Symbol.asyncDispose]();
  return { name: `${image} in a container`, url, environment: environmentFor(service, url), [Symbol.asyncDispose]: dispose };
}

/** A variable without a value is handed on as it is: a token is not to be read in the list of processes. */
function variables(service: AwsService): readonly string[] {
  const settings = [
    `SERVICES=${service}`,
    'STRICT_SERVICE_LOADING=1',
    'DISABLE_EVENTS=1',
    'SKIP_SSL_CERT_DOWNLOAD=1',
    'DYNAMODB_IN_MEMORY=1',
    'KINESIS_LATENCY=10',
  ];
  const token = process.env['LOCALSTACK_AUTH_TOKEN'] ? ['LOCALSTACK_AUTH_TOKEN'] : [];
  return [...settings, ...token].flatMap((setting) => ['--env', setting]);
}

/** It starts a service when it is asked for the first time, and answers others with errors meanwhile: so it is asked until it has done something. */
async function serving(container: Container, url: string, service: AwsService, signal: AbortSignal | undefined): Promise<void> {
  for (const until = performance.now() + patienceMs; performance.now() < until; await pause(periodMs)) {
    signal?.throwIfAborted();
    if (await lists(url, service).catch(() => false)) return;
  }
  throw new Error(`LocalStack in a container does not serve ${service}; it said:\n${await container.logs()}`);
}

/** Requests that list what there is; no emulator looks at a signature. */
const listing = {
  dynamodb: { target: 'DynamoDB_20120810.ListTables', type: 'application/x-amz-json-1.0' },
  kinesis: { target: 'Kinesis_20131202.ListStreams', type: 'application/x-amz-json-1.1' },
} as const;

async function lists(url: string, service: AwsService): Promise<boolean> {
  const { target, type } = listing[service];
  const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = environmentFor(service, url);
  const authorization = `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
  const headers = { 'content-type': type, 'x-amz-target': target, 'x-amz-date': '20260101T000000Z', authorization };
  const answer = await fetch(url, { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(patienceMs) });
  await answer.text();
  return answer.ok;
}
