// Runs the snippets of the documentation as a reader does: by Node, beside the installed tarballs. No
// server listens, so a snippet may fail to reach one. It must not fail by an error of its own.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { snippetFile, snippetsIn } from './snippets.ts';
import { surroundingValues } from './surroundings.ts';

const run = promisify(execFile);

/** A program that has failed, or was stopped. */
interface Failure {
  readonly killed: boolean;
  readonly stderr: string;
}

/** How long a snippet runs before it is stopped. Milliseconds. */
const runMs = 6000;
/** The snippets that run at the same time. Most of them wait for a server until they are stopped. */
const atOnce = 12;
/** Matches errors of the program, as opposed to those of a server that is missing. */
const programError =
  /\b(?:SyntaxError|ReferenceError|TypeError)\b|\bERR_(?:MODULE|PACKAGE|UNSUPPORTED|UNKNOWN|REQUIRE)_/;

/** The variables of the environment that pages read. */
const environment = {
  LEADERSHIP_URL: 'memory:?group=snippets',
  DATABASE_URL: 'postgres://127.0.0.1:9/none',
  REDIS_URL: 'redis://127.0.0.1:9',
  STORE_URL: 'memory:?group=snippets',
  BILLING_KEY: 'a'.repeat(64),
  GOSSIP_SECRET: 'a'.repeat(64),
};

/** Runs every snippet for some seconds on that Node. Rejects with those that fail by errors of their own. */
export async function runSnippets(node: string, project: string): Promise<void> {
  const folder = join(project, 'runs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(project, 'surroundings.mjs'), surroundingValues);
  const wrong: string[] = [];
  const waiting = [...snippetsIn()];
  const runOne = async (): Promise<void> => {
    for (let snippet = waiting.shift(); snippet !== undefined; snippet = waiting.shift()) {
      const file = snippetFile(project, snippet);
      // A test is run by its runner.
      if (/vitest'|^test\(/m.test(snippet.code)) continue;
      const error = await failureOf(node, project, file);
      if (error !== undefined) wrong.push(`${snippet.name}: ${error}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runOne));
  if (wrong.length > 0) throw new Error(`these snippets fail:\n${wrong.join('\n')}`);
}

/** Returns what a program prints if it fails by an error of its own, otherwise `undefined`. */
async function failureOf(node: string, project: string, file: string): Promise<string | undefined> {
  const failure: Failure | undefined = await run(
    node,
    ['--import', join(project, 'surroundings.mjs'), file],
    {
      cwd: join(project, 'runs'),
      env: { ...process.env, ...environment },
      timeout: runMs,
      killSignal: 'SIGKILL',
    },
  ).then(
    () => undefined,
    (error: Failure) => error,
  );
  const isProgramError = failure?.killed === false && programError.test(failure.stderr);
  return isProgramError ? failure.stderr : undefined;
}
