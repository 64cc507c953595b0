import { type AwsServer, type AwsService, endpointVariable, environmentFor } from './aws-server.ts';

/** The server that the environment names (LocalStack, or AWS itself), as AWS clients do: it is used as it is, and stays when it is disposed of. */
export function givenServer(service: AwsService): AwsServer | undefined {
  const variable = [endpointVariable(service), 'AWS_ENDPOINT_URL'].find((name) => process.env[name]);
  const url = variable && process.env[variable];
  if (!url) return undefined;
  return {
    name: `the server of ${variable}`,
    url,
    environment: environmentFor(service, url),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
