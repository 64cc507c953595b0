import { type AwsServer, type AwsService, endpointVariable, environmentFor } from './aws-server.ts';

/**
 * Returns the server that the environment names with the variables of AWS clients (LocalStack, or
 * AWS itself), or `undefined`. Disposing does not end it.
 */
export function givenServer(service: AwsService): AwsServer | undefined {
  const variable = [endpointVariable(service), 'AWS_ENDPOINT_URL'].find(
    (name) => process.env[name],
  );
  const url = variable && process.env[variable];
  if (!url) return undefined;
  return {
    name: `the server of ${variable}`,
    url,
    environment: environmentFor(service, url),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
