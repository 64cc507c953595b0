import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';
import { afterAll } from 'vitest';

/** The compiled command: Node 20 does not run TypeScript. */
const program = fileURLToPath(new URL('../../lib/main.js', import.meta.url));

/** The files of `run`: those of killed processes stay in it. */
const runFolder = mkdtempSync(join(tmpdir(), 'leadership-run-test-'));
afterAll(() => rmSync(runFolder, { recursive: true, force: true }));

/** Runs a program as process 1 of a PID namespace, which ends with the wrapper. */
export const containing: readonly [string, ...string[]] = [
  ...(['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const),
];
/** Whether this user may do that here. */
export const canContain: boolean =
  spawnSync(containing[0], [...containing.slice(1), 'true']).status === 0;

/** A running `leadership` command. Disposing kills it. */
export interface Command extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves once standard output contains `text`. */
  printed(text: string): Promise<void>;
}

/**
 * Starts `leadership` with these arguments. It never outlives this process. `wrapper`: the program
 * that starts it, with its arguments. `node`: the program that executes it.
 */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
  node: string = process.execPath,
): Command {
  const [file = '', ...rest] = [...wrapper, node, program, ...args];
  const child = spawn(file, rest, {
    env: { ...process.env, LEADERSHIP_RUN_DIR: runFolder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guard = runOnExit('kill -KILL "$0"', String(child.pid ?? 0));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => guard[Symbol.dispose]());
  return {
    process: child,
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    ended,
    async printed(text) {
      await eventually(`standard output contains "${text}"`, () => written.stdout.includes(text), {
        details: () => `; standard error: ${written.stderr}`,
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Returns the child processes of a process: the watchdog of a wrapper. */
export function childrenOf(pid: number): readonly number[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child ?? 0);
}

/** Returns whether a process can still act. One that its parent has not reaped yet cannot. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
}

/** Kills a `leadership run` with its watchdog and its command, so that nothing acts in its place. */
export function killWithChildren(pid: number): void {
  const watchdogs = childrenOf(pid);
  const all = [pid, ...watchdogs, ...watchdogs.flatMap((one) => childrenOf(one))];
  for (const one of all) process.kill(one, 'SIGKILL');
}
