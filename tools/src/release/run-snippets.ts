// Runs the snippets of the documentation as a reader does: by Node, beside the installed tarballs. No
// server listens, so a snippet may fail to reach one. What it may not do is fail as a program.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { snippetFile, snippetsIn } from './snippets.ts';
import { surroundingValues } from './surroundings.ts';

/** How long a snippet runs before it is stopped. Milliseconds. */
const runMs = 4000;
/** The snippets that run at the same time. */
const atOnce = 4;
/** What an error of the program looks like, as opposed to one of a server that is missing. */
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

/** Runs every snippet for some seconds on that Node. Rejects with those that fail as programs. */
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

/** Returns what a program prints that fails by an error of its own, or nothing. */
async function failureOf(node: string, project: string, file: string): Promise<string | undefined> {
  const child = spawn(node, ['--import', join(project, 'surroundings.mjs'), file], {
    cwd: join(project, 'runs'),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const timer = new AbortController();
  await Promise.race([
    ended,
    pause(runMs, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
  const isOver = child.exitCode !== null;
  if (!isOver) child.kill('SIGKILL');
  await ended;
  return isOver && child.exitCode !== 0 && programError.test(errors) ? errors : undefined;
}
