// npm run release:check: packs everything that a release publishes, installs it into an empty
// folder, and uses it as a stranger would, on each supported version of Node.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nodeProgram, nodeVersions } from '../backends/node-program.ts';
import { hasKafka, startKafka } from '../kafka/index.ts';
import { hasKubernetes, kubectlProgram } from '../kubernetes/index.ts';
import { hasLocalMysql } from '../mysql/index.ts';
import { clientReleases, guardedKafka, installClient, leadByClient } from './kafka-clients.ts';
import { leadOnKubernetes, leadOnMysql } from './on-servers.ts';
import { type Published, pack, publishedIn, type Tarball } from './packages.ts';
import { prepareProject } from './project.ts';
import {
  checkChangesets,
  checkLicences,
  checkProvenance,
  checkTarball,
  checkVersions,
} from './rules.ts';
import { runExample } from './run-example.ts';
import { runSnippets } from './run-snippets.ts';
import { runWalk } from './run-walk.ts';
import { compileSnippets, readSnippets, snippetsIn } from './snippets.ts';

const root = resolve(import.meta.dirname, '../../..');
const work = await mkdtemp(join(tmpdir(), 'leadership-release-'));
let failures = 0;
try {
  await checkRelease();
} finally {
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}
console.log(failures === 0 ? 'release: ready' : `release: ${failures} steps failed`);
process.exitCode = failures === 0 ? 0 : 1;

async function checkRelease(): Promise<void> {
  const all = publishedIn(root);
  const project = join(work, 'project');
  await mkdir(project);
  await step('versions agree', () => checkVersions(all));
  await step('changesets name published packages', () =>
    checkChangesets(join(root, '.changeset'), all),
  );
  await step('access, repository and licence', () =>
    all.flatMap(({ manifest }) => checkProvenance(manifest)),
  );
  const tarballs = await pack(all, work);
  for (const tarball of tarballs)
    await step(`${tarball.name}: ${Math.ceil(tarball.size / 1000)} kB`, () =>
      checkTarball(tarball),
    );
  const isInstalled = await step('the tarballs install, and the declarations compile', () =>
    prepareProject(project, tarballs, all).then(() => undefined),
  );
  if (!isInstalled) return;
  await step('licences of all dependencies', () => checkLicences(project));
  await checkKafkaClients(tarballs, all);
  const count = snippetsIn().length;
  const isCompiled = await step(`${count} snippets of the documentation compile`, () =>
    compileSnippets(project).then(() => undefined),
  );
  await step('the page shows two roles, three members and one hand-over', async () => {
    console.log(await runWalk(await nodeProgram(nodeVersions[0]), project));
    return undefined;
  });
  // The snippets need the clients of servers, too.
  if (isCompiled) {
    const [oldest] = nodeVersions;
    await step(`the snippets run on Node ${oldest}`, async () => {
      await runSnippets(await nodeProgram(oldest), project);
      return undefined;
    });
    await followGuides(project);
  }
  for (const version of nodeVersions) {
    await step(`the README's example and the command on Node ${version}`, async () => {
      await runExample(await nodeProgram(version), project, version);
      return undefined;
    });
    if (!isCompiled) continue;
    await step(`the snippets are JavaScript on Node ${version}`, async () => {
      await readSnippets(await nodeProgram(version), project);
      return undefined;
    });
  }
}

/** Follows the guides of servers, where these can be started here. Prints what an operator sees. */
async function followGuides(project: string): Promise<void> {
  const [version] = nodeVersions;
  const node = await nodeProgram(version);
  const follow = (title: string, guide: () => Promise<string>): Promise<boolean> =>
    step(`three processes lead one after the other ${title}`, async () => {
      console.log(await guide());
      return undefined;
    });
  if ((await kubectlProgram()) === undefined) console.log('left out: Kubernetes, without kubectl');
  else if (await hasKubernetes())
    await follow('on Kubernetes, with the documented Role', () => leadOnKubernetes(node, project));
  if (await hasLocalMysql()) await follow('on MariaDB', () => leadOnMysql(node, project));
}

/** Uses each release of the optional client of Kafka, on a broker if one can be started here. */
async function checkKafkaClients(
  tarballs: readonly Tarball[],
  all: readonly Published[],
): Promise<void> {
  const kafka = (await hasKafka(guardedKafka)) ? await startKafka(guardedKafka) : undefined;
  try {
    for (const client of clientReleases) {
      const { release, node } = client;
      const does = kafka === undefined ? 'installs' : `leads on Node ${node}`;
      await step(`@platformatic/kafka ${release} ${does}, and the adapter compiles`, async () => {
        const directory = join(work, `kafka-${release}`);
        await installClient(directory, client, tarballs, all);
        if (kafka) await leadByClient(directory, await nodeProgram(node), kafka, client);
        return undefined;
      });
    }
  } finally {
    await kafka?.[Symbol.asyncDispose]();
  }
}

/** Runs one step and prints its result. Resolves with whether it has passed. */
async function step(
  title: string,
  check: () => readonly string[] | undefined | Promise<readonly string[] | undefined>,
): Promise<boolean> {
  const complaints = await Promise.resolve()
    .then(check)
    .catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
  const isGood = complaints === undefined || complaints.length === 0;
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${title}`);
  for (const complaint of complaints ?? []) console.log(`        ${complaint}`);
  if (!isGood) failures += 1;
  return isGood;
}
