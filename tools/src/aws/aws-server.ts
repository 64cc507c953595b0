/** A server that speaks the protocol of one AWS service, for as long as it is not disposed of. */
export interface AwsServer extends AsyncDisposable {
  /** In words: `DynamoDB Local 3.1.0`. */
  readonly name: string;
  /** Where it listens, past any proxy. */
  readonly url: string;
  /** What a client that is not told otherwise finds in its environment. Region and credentials are made up, unless the environment has some. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The services there are servers of. */
export type AwsService = 'dynamodb' | 'kinesis';

/** Letters and digits only: DynamoDB Local takes no other access key. */
const madeUp = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIDLOCAL', AWS_SECRET_ACCESS_KEY: 'secret' };

/** What clients of a service at `url` find in their environment. */
export function environmentFor(service: AwsService, url: string): Readonly<Record<string, string>> {
  const given = Object.entries(madeUp).map(([name, value]) => [name, process.env[name] || value]);
  return { ...Object.fromEntries(given), [endpointVariable(service)]: url };
}

/** The variable that names one service's endpoint to every AWS client. */
export function endpointVariable(service: AwsService): string {
  return `AWS_ENDPOINT_URL_${service.toUpperCase()}`;
}
