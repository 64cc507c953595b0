// Starts DynamoDB for tests, benchmarks and the demo: a server that the environment names, a
// container, or DynamoDB Local on this host.
import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { isOffered } from '../backends/is-offered.ts';
import { javaProgram, missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { type AwsProgram, type AwsServer, localAwsServer } from './aws-server.ts';
import { givenServer } from './given-server.ts';
import { localStack } from './localstack.ts';

/** Options of a DynamoDB server. */
export interface DynamoDbOptions {
  /**
   * Whether every region and every access key has its own tables, as on AWS. Then DynamoDB Local is
   * started, whatever the environment names. Default: false.
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
 * `AWS_ENDPOINT_URL` names; else LocalStack in a container, if `BACKENDS_BY=containers` is set; else a
 * new DynamoDB Local without tables. Disposing ends a server that was started.
 */
export async function startDynamoDb({
  perRegion = false,
  signal,
}: DynamoDbOptions = {}): Promise<AwsServer> {
  const given = perRegion ? undefined : givenServer('dynamodb');
  if (given) return given;
  if (!perRegion && byContainers()) return localStack('dynamodb', signal);
  return localAwsServer('dynamodb', { ...(await dynamoDbLocal(perRegion, signal)), signal });
}

/**
 * Resolves with whether `startDynamoDb` can start a server. If it cannot, one line on stderr states what
 * is missing; if `REQUIRE_BACKENDS` contains `kinesis`, the promise rejects instead. Downloads the jars,
 * so that the tests do not wait.
 */
export async function hasDynamoDb({
  perRegion = false,
  signal,
}: DynamoDbOptions = {}): Promise<boolean> {
  if (!perRegion && givenServer('dynamodb')) return true;
  if (!perRegion && byContainers()) return isOffered('kinesis', await missingEngine());
  try {
    await dynamoDbLocal(perRegion, signal);
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    return isOffered('kinesis', (error as Error).message);
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
