// Starts DynamoDB for tests, benchmarks and the demo: a server that the environment names, a
// container, or an emulator on this host.
import { fileURLToPath } from 'node:url';
import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { isOffered } from '../backends/is-offered.ts';
import { javaProgram, missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { type AwsProgram, type AwsServer, localAwsServer } from './aws-server.ts';
import { givenServer } from './given-server.ts';
import { localStack } from './localstack.ts';

/** The local emulators of DynamoDB. */
export type DynamoDbKind = 'dynamodb-local' | 'dynalite';

/** Options of a DynamoDB server. */
export interface DynamoDbOptions {
  /**
   * The emulator to start. Default: the server that the environment names, else LocalStack in a
   * container if `BACKENDS_BY=containers` is set, else DynamoDB Local, else (if Java or Maven is
   * missing) dynalite.
   */
  readonly kind?: DynamoDbKind;
  /**
   * Whether every region and every access key has its own tables, as on AWS. Only DynamoDB Local
   * supports this. Default: false.
   */
  readonly perRegion?: boolean;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
}

/** The newest release whose dependencies are all available. */
const release = '3.1.0';
/** The oldest Java version that runs it. */
const leastJava = 17;

/**
 * Resolves with a DynamoDB that serves requests: the one that `AWS_ENDPOINT_URL_DYNAMODB` or
 * `AWS_ENDPOINT_URL` names, or else a new local one without tables (see `kind`). Disposing ends a
 * server that was started.
 */
export async function startDynamoDb({
  kind,
  perRegion = false,
  signal,
}: DynamoDbOptions = {}): Promise<AwsServer> {
  const given = kind === undefined ? givenServer('dynamodb') : undefined;
  if (given) return given;
  if (kind === undefined && byContainers()) return localStack('dynamodb', signal);
  return localAwsServer('dynamodb', { ...(await programOf(kind, perRegion, signal)), signal });
}

/**
 * Resolves with whether `startDynamoDb` can start this kind. If it cannot, one line on stderr
 * states what is missing; if `REQUIRE_BACKENDS` contains `kinesis`, the promise rejects instead.
 * Downloads the jars, so that the tests do not wait.
 */
export async function hasDynamoDb({ kind, signal }: DynamoDbOptions = {}): Promise<boolean> {
  if (kind === undefined && givenServer('dynamodb')) return true;
  if (kind === undefined && byContainers()) return isOffered('kinesis', await missingEngine());
  try {
    await programOf(kind, false, signal);
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    return isOffered('kinesis', (error as Error).message);
  }
}

async function programOf(
  kind: DynamoDbKind | undefined,
  perRegion: boolean,
  signal: AbortSignal | undefined,
): Promise<AwsProgram> {
  if (kind === 'dynalite') return dynalite();
  try {
    return await dynamoDbLocal(perRegion, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (kind !== undefined) throw error;
    process.stderr.write(
      `leadership: using dynalite instead of DynamoDB Local: ${(error as Error).message}\n`,
    );
    return dynalite();
  }
}

/** DynamoDB Local by Amazon, from Maven. */
async function dynamoDbLocal(
  perRegion: boolean,
  signal: AbortSignal | undefined,
): Promise<AwsProgram> {
  const missing = await missingJava(leastJava);
  if (missing !== undefined) throw new Error(missing);
  const artifacts = [`software.amazon.dynamodb:DynamoDBLocal:${release}`];
  const libraries = await mavenJars(
    {
      title: `DynamoDB Local ${release} (about 50 MB)`,
      name: `dynamodb-local-${release}`,
      artifacts,
    },
    signal,
  );
  // Options for a fast start instead of fast execution. The native library of SQLite is in the same
  // directory as the jars.
  const machine = [
    '-Xmx128m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    `-Djava.library.path=${libraries}`,
    '-cp',
    `${libraries}/*`,
  ];
  const server = 'software.amazon.dynamodb.services.local.main.ServerRunner';
  return {
    name: `DynamoDB Local ${release}`,
    ports: 1,
    // At every start, it extracts a native library into the temporary directory and never removes
    // it.
    command: ({ directory, port }) => [
      javaProgram('java'),
      [
        ...[`-Djava.io.tmpdir=${directory}`, ...machine, server],
        ...['-inMemory', ...(perRegion ? [] : ['-sharedDb']), '-port', String(port)],
      ],
    ],
    environment: () => ({ DDB_LOCAL_TELEMETRY: '0' }),
  };
}

/**
 * dynalite throws if a client disconnects in the middle of a request, which would end the server
 * for all other clients.
 */
const outlivesClients = `process.on('uncaughtException', (error) => { if (error.code !== 'ECONNRESET') throw error; });`;

/**
 * dynalite needs only Node. It supports neither transactions nor returning the old item of a failed
 * condition.
 */
function dynalite(): AwsProgram {
  const program = fileURLToPath(import.meta.resolve('dynalite/cli.js'));
  const atOnce = ['--createTableMs', '0', '--updateTableMs', '0', '--deleteTableMs', '0'];
  return {
    name: 'dynalite 4.0.0',
    ports: 1,
    command: ({ port }) => [
      process.execPath,
      [
        ...['--import', `data:text/javascript,${encodeURIComponent(outlivesClients)}`, program],
        ...['--port', String(port), '--host', '127.0.0.1', ...atOnce],
      ],
    ],
  };
}
