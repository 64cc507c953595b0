// The oldest releases 1 and 2 of @platformatic/kafka that the adapter accepts, and the newest 2 that
// was tried, as a user installs them.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { nodeVersions } from '../backends/node-program.ts';
import type { KafkaCluster, KafkaOptions } from '../kafka/index.ts';
import { compile, install, type Published, type Tarball } from './packages.ts';
import { beside } from './project.ts';

const run = promisify(execFile);

/** A release of the library, and the oldest Node that runs it. */
export interface ClientRelease {
  readonly release: string;
  readonly node: (typeof nodeVersions)[number];
}

/** The tests of the adapter run with the newest 1.x instead: Node 20 cannot run release 2. */
export const clientReleases: readonly ClientRelease[] = [
  { release: '1.22.0', node: '20.19.0' },
  { release: '2.2.3', node: '22.23.3' },
  { release: '2.12.1', node: '22.23.3' },
];

/** A broker that demands a login, because the releases differ most there. */
export const guardedKafka: KafkaOptions = {
  brokers: 1,
  proxied: false,
  security: { sasl: 'scram-sha-256' },
};

/** How long the program may take to lead and to end. Milliseconds. */
const programMs = 60_000;

/** Leads one term. A rejection that nothing handles ends it with another exit code. */
const program = `import { kafkaLeadership, platformatic } from '@leadership/kafka';

const { brokers, sasl, group } = JSON.parse(process.argv[2]);
const source = kafkaLeadership({
  client: platformatic({ sasl: { ...sasl, mechanism: sasl.mechanism.toUpperCase() } }),
  kafka: { brokers },
  group,
  topic: group,
  partitions: 1,
});
await source.ready();
const over = new AbortController();
await source.role(0).lead(() => over.abort(), { signal: over.signal });
await source.close();
console.log('led');
`;

const adapter = '@leadership/kafka';

/** The sources that a package contains are compiled with the types of the library. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

/**
 * Installs one release beside the adapter, and compiles the adapter's sources with its types. Rejects
 * if npm does not accept the release as the peer.
 */
export async function installClient(
  directory: string,
  { release }: ClientRelease,
  tarballs: readonly Tarball[],
  all: readonly Published[],
): Promise<void> {
  const packages = ownDependencies(adapter, all);
  await mkdir(directory);
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  const paths = tarballs.filter(({ name }) => packages.includes(name)).map(({ path }) => path);
  const library = `@platformatic/kafka@${release}`;
  await install(directory, '--strict-peer-deps', ...paths, library, ...beside);
  await compile(directory, { compilerOptions, files: [`node_modules/${adapter}/src/index.ts`] });
}

/** Lets a member lead by a release that is installed there. */
export async function leadByClient(
  directory: string,
  node: string,
  kafka: KafkaCluster,
  { release }: ClientRelease,
): Promise<void> {
  await writeFile(join(directory, 'leads.mjs'), program);
  const options = JSON.stringify({ ...kafka.client(), group: `by-${release}` });
  const { stdout } = await run(node, ['leads.mjs', options], {
    cwd: directory,
    timeout: programMs,
  });
  if (stdout !== 'led\n') throw new Error(`the program printed ${stdout}`);
}

/** Returns the package, and what it depends on of this repository. */
function ownDependencies(name: string, all: readonly Published[]): readonly string[] {
  const found = all.find(({ manifest }) => manifest.name === name);
  if (found === undefined) return [];
  const names = Object.keys(found.manifest.dependencies ?? {});
  return [name, ...names.flatMap((other) => ownDependencies(other, all))];
}
