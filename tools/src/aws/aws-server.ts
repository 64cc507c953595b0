// A server of DynamoDB or Kinesis for tests and benchmarks, and how an emulator of one is started
// on this host.
import { localServer, type ServerPlace, type ServerProgram } from '../backends/local-server.ts';

/** A server for one AWS service. Disposing ends it if this process started it. */
export interface AwsServer extends AsyncDisposable {
  /** A name for messages, for example `DynamoDB Local 3.1.0`. */
  readonly name: string;
  /** The URL of the server itself, without a proxy. */
  readonly url: string;
  /**
   * The environment variables with which AWS clients find the server. Region and credentials are
   * dummy values unless this process's environment contains them.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/** The supported services. */
export type AwsService = 'dynamodb' | 'kinesis';

/** Dummy values. DynamoDB Local accepts only letters and digits in the access key. */
const madeUp = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'AKIDLOCAL',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

/** Returns the environment variables for clients of a service at `url`. */
export function environmentFor(service: AwsService, url: string): Readonly<Record<string, string>> {
  const given = Object.entries(madeUp).map(([name, value]) => [name, process.env[name] || value]);
  return { ...Object.fromEntries(given), [endpointVariable(service)]: url };
}

/** Returns the name of the variable from which AWS clients read a service's endpoint. */
export function endpointVariable(service: AwsService): string {
  return `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
}

/** A program that serves an AWS service on its first port. */
export type AwsProgram = Omit<ServerProgram, 'ready'>;

/** Starts a program on this host. */
export async function localAwsServer(service: AwsService, program: AwsProgram): Promise<AwsServer> {
  const server = await localServer({ ...program, ready: responds });
  const url = urlOf(server);
  return {
    name: program.name,
    url,
    environment: environmentFor(service, url),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Any response counts, including an error for this invalid request. */
async function responds(place: ServerPlace, signal: AbortSignal): Promise<boolean> {
  await (await fetch(urlOf(place), { signal })).text();
  return true;
}

function urlOf({ port }: { readonly port: number }): string {
  return `http://127.0.0.1:${port}`;
}
