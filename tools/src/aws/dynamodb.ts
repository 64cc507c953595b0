import { fileURLToPath } from 'node:url';
import { byContainers, missingEngine } from '../backends/by-containers.ts';
import { isOffered } from '../backends/is-offered.ts';
import { javaProgram, missingJava } from '../backends/java.ts';
import { mavenJars } from '../backends/maven-jars.ts';
import { type AwsServer, environmentFor } from './aws-server.ts';
import { givenServer } from './given-server.ts';
import { localStack } from './localstack.ts';
import { type ServerProgram, serverProcess } from './server-process.ts';

/** What can stand for DynamoDB on this host. */
export type DynamoDbKind = 'dynamodb-local' | 'dynalite';

/** What is started. */
export interface DynamoDbOptions {
  /**
   * This one and no other. Default: what the environment names, else LocalStack in a container where `BACKENDS_BY=containers` asks
   * for it, else DynamoDB Local, else dynalite where Java or Maven is missing.
   */
  readonly kind?: DynamoDbKind;
  /** Whether every region, and every access key, has tables of its own, as on AWS. DynamoDB Local can tell them apart, others cannot. Default: no. */
  readonly perRegion?: boolean;
  /** Gives up starting. */
  readonly signal?: AbortSignal;
}

/** The newest release whose dependencies can all be had. */
const release = '3.1.0';
/** The oldest Java that it runs on. */
const leastJava = 17;

/**
 * A DynamoDB that answers when this resolves: the one that `AWS_ENDPOINT_URL_DYNAMODB` or `AWS_ENDPOINT_URL` names, or else one
 * that is started on this host (see `kind`), with empty tables in memory. Disposing ends what was started.
 */
export async function startDynamoDb({ kind, perRegion = false, signal }: DynamoDbOptions = {}): Promise<AwsServer> {
  const given = kind === undefined ? givenServer('dynamodb') : undefined;
  if (given) return given;
  if (kind === undefined && byContainers()) return localStack('dynamodb', signal);
  const program = await programOf(kind, perRegion, signal);
  const { url, [Symbol.asyncDispose]: end } = await serverProcess(program, signal);
  return { name: program.name, url, environment: environmentFor('dynamodb', url), [Symbol.asyncDispose]: end };
}

/**
 * Whether `startDynamoDb` can start that kind. Where it cannot, one line on stderr says what is missing, and it throws instead where
 * `REQUIRE_BACKENDS` has `kinesis`. What takes long (jars are fetched, once) is done before the tests.
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

async function programOf(kind: DynamoDbKind | undefined, perRegion: boolean, signal: AbortSignal | undefined): Promise<ServerProgram> {
  if (kind === 'dynalite') return dynalite();
  try {
    return await dynamoDbLocal(perRegion, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (kind !== undefined) throw error;
    process.stderr.write(`leadership: dynalite stands for DynamoDB Local: ${(error as Error).message}\n`);
    return dynalite();
  }
}

/** Amazon's own, from Maven. */
async function dynamoDbLocal(perRegion: boolean, signal: AbortSignal | undefined): Promise<ServerProgram> {
  const missing = await missingJava(leastJava);
  if (missing !== undefined) throw new Error(missing);
  const artifacts = [`software.amazon.dynamodb:DynamoDBLocal:${release}`];
  const libraries = await mavenJars(
    { title: `DynamoDB Local ${release} (some 50 MB)`, name: `dynamodb-local-${release}`, artifacts },
    signal,
  );
  // A machine that starts fast instead of running fast; SQLite's native part lies beside the jars.
  const machine = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Djava.library.path=${libraries}`, '-cp', `${libraries}/*`];
  const server = 'software.amazon.dynamodb.services.local.main.ServerRunner';
  return {
    name: `DynamoDB Local ${release}`,
    command: javaProgram('java'),
    ports: 1,
    // It unpacks its native part into the temporary folder at every start, and leaves it there.
    args: ([port], folder) => [
      ...[`-Djava.io.tmpdir=${folder}`, ...machine, server],
      ...['-inMemory', ...(perRegion ? [] : ['-sharedDb']), '-port', String(port)],
    ],
    environment: () => ({ DDB_LOCAL_TELEMETRY: '0' }),
  };
}

/** Its handler throws where a client goes away before it has sent all of a request, and the whole server ends. Others' clients stay. */
const outlivesClients = `process.on('uncaughtException', (error) => { if (error.code !== 'ECONNRESET') throw error; });`;

/** Needs nothing but Node, and does without transactions and the old item of a failed condition. */
function dynalite(): ServerProgram {
  const program = fileURLToPath(import.meta.resolve('dynalite/cli.js'));
  const atOnce = ['--createTableMs', '0', '--updateTableMs', '0', '--deleteTableMs', '0'];
  return {
    name: 'dynalite 4.0.0',
    command: process.execPath,
    ports: 1,
    args: ([port]) => [
      '--import',
      `data:text/javascript,${encodeURIComponent(outlivesClients)}`,
      program,
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      ...atOnce,
    ],
  };
}
