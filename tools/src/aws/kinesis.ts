// Starts Kinesis for tests, benchmarks and the demo.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byContainers } from '../backends/by-containers.ts';
import { type AwsProgram, type AwsServer, localAwsServer } from './aws-server.ts';
import { givenServer } from './given-server.ts';
import { localStack } from './localstack.ts';

/**
 * Resolves with a Kinesis that serves requests: the one that `AWS_ENDPOINT_URL_KINESIS` or
 * `AWS_ENDPOINT_URL` names, else a new LocalStack in a container if `BACKENDS_BY=containers` is
 * set, else a new kinesis-local. New servers have no streams. The emulators do not limit reads; use
 * a fault proxy for that. Disposing ends a server that was started.
 */
export async function startKinesis(signal?: AbortSignal): Promise<AwsServer> {
  const given = givenServer('kinesis');
  if (given) return given;
  if (byContainers()) return localStack('kinesis', signal);
  return localAwsServer('kinesis', { ...kinesisLocal(), signal });
}

function kinesisLocal(): AwsProgram {
  const program = fileURLToPath(import.meta.resolve('kinesis-local/main.js'));
  const sockets = new URL('./kinesis-local-sockets.js', import.meta.url).href;
  // By default, kinesis-local imitates the delays of AWS.
  const slow = [
    'CREATE_STREAM',
    'DELETE_STREAM',
    'SPLIT_SHARD',
    'MERGE_SHARDS',
    'UPDATE_SHARD_COUNT',
    'REGISTER_STREAM_CONSUMER',
  ];
  return {
    name: 'kinesis-local 0.6.2',
    ports: 2,
    command: () => [process.execPath, ['--import', sockets, program]],
    environment: ({ ports: [plain, tls] }) => ({
      ...Object.fromEntries(slow.map((name) => [`${name}_DURATION`, '10ms'])),
      KINESIS_MOCK_PLAIN_PORT: String(plain),
      KINESIS_MOCK_TLS_PORT: String(tls),
      KINESIS_MOCK_CERT_PATH: join(dirname(program), 'server.json'),
      LOG_LEVEL: 'ERROR',
    }),
  };
}
