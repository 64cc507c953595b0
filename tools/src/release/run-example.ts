// Runs the README's example in two processes, as the README describes it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How long a state may take to appear. Milliseconds. */
const timeoutMs = 60_000;

/** Runs the compiled project on one version of Node. Rejects with what went wrong. */
export async function runExample(node: string, project: string, name: string): Promise<void> {
  const run = (...args: readonly string[]) => promisify(execFile)(node, args, { cwd: project });
  await run(join(project, 'dist/imports.js'));
  await run(join(project, 'node_modules/.bin/leadership'), '--version');
  const url = `file:${join(project, `leases-${name}`)}?group=billing&partitions=1&thresholdMs=2000`;
  await using one = startExample(node, project, url);
  await one.prints('invoice sent in term');
  await using two = startExample(node, project, url);
  one.process.kill('SIGTERM');
  await two.prints('invoice sent in term');
  await one.ends();
  await using three = startExample(node, project, url);
  two.process.kill('SIGKILL');
  await three.prints('invoice sent in term');
}

/** A process of the example. Disposing kills it. */
export interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  prints(text: string): Promise<void>;
  ends(): Promise<void>;
}

/** Starts the README's program as a member of this group, with more variables of its environment. */
export function startExample(
  node: string,
  project: string,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(node, ['leader.mjs'], {
    cwd: project,
    env: { ...process.env, ...env, LEADERSHIP_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const read = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);
  const ended = once(child, 'close');
  return {
    process: child,
    async prints(text) {
      const until = performance.now() + timeoutMs;
      while (!output.includes(text)) {
        if (performance.now() > until || child.exitCode !== null)
          throw new Error(`the example did not print "${text}" on ${node}:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async ends() {
      const [code] = await ended;
      if (code !== 0) throw new Error(`the example ended with code ${code} on ${node}:\n${output}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
