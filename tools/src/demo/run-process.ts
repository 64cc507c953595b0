// Starts one process of the demo, `leadership run URL -- COMMAND`, and reads what it prints.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runOnExit } from '@leadership/testkit/faults';
import { parseRunLine, parseWorkLine, type RunEvent } from './run-event.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const leadership = join(
  dirname(createRequire(import.meta.url).resolve('@leadership/cli/package.json')),
  'lib/main.js',
);
const cutOff = new URL('./cut-off.js', import.meta.url).href;

/** The role that the members of the demo lead. */
const role = 'invoices';
/** What follows the URL on the command line of each member. */
export const commandLine: readonly string[] = [
  ...['--role', role, '--restart'],
  ...['--', 'node', 'examples/src/send-invoices.mjs'],
];

/** How long a member may take to end in order. Milliseconds. */
const endMs = 20_000;

/** One `leadership run` process. */
export class RunProcess {
  readonly member: string;
  /** Resolves when the process has ended: with how, or with `undefined` if the demo asked for it. */
  readonly exited: Promise<string | undefined>;
  readonly #child: ChildProcess;
  #isAskedToEnd = false;
  #waitedBeforeMs = 0;

  constructor(member: string, url: string, hear: (event: RunEvent) => void) {
    this.member = member;
    this.#child = spawn(
      process.execPath,
      ['--import', cutOff, leadership, 'run', url, ...commandLine],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    const { stdout, stderr } = this.#child;
    if (stdout) createInterface(stdout).on('line', (line) => hear(parseWorkLine(line)));
    if (stderr)
      createInterface(stderr).on('line', (line) =>
        hear(parseRunLine(line, process.hrtime.bigint())),
      );
    this.exited = this.#ended();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Cuts the process off from the network, or connects it again. */
  send(command: 'cut' | 'mend'): void {
    if (this.#child.connected) this.#child.send(command, () => undefined);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks the process to hand over, as `leadership resign` does once it has found the leader. */
  resign(): void {
    this.#child.kill('SIGURG');
  }

  /** Kills the process. Returns the instant just before, on the host's monotonic clock. */
  kill(): bigint {
    this.#isAskedToEnd = true;
    const atNs = process.hrtime.bigint();
    this.#child.kill('SIGKILL');
    return atNs;
  }

  /** Ends the process in order, also one that is stopped. */
  async end(): Promise<void> {
    this.#isAskedToEnd = true;
    this.#child.kill('SIGTERM');
    this.#child.kill('SIGCONT');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endMs);
    await this.exited;
    clearTimeout(timer);
  }

  /**
   * Returns how long the process was ready to run and had no processor since the previous call, in
   * milliseconds. Zero where the kernel does not tell.
   */
  takeWaitedMs(): number {
    const before = this.#waitedBeforeMs;
    this.#waitedBeforeMs = waitedMs(this.pid) ?? before;
    return this.#waitedBeforeMs - before;
  }

  async #ended(): Promise<string | undefined> {
    // It must not outlive the demo, even if that is killed.
    const guard = runOnExit('kill -KILL "$0"', String(this.pid));
    try {
      const [code, signal] = await once(this.#child, 'exit');
      return this.#isAskedToEnd
        ? undefined
        : `${this.member} ended unexpectedly: ${signal ?? `exit code ${code}`}`;
    } catch (error) {
      return String(error);
    } finally {
      guard[Symbol.dispose]();
    }
  }
}

/** Returns how long the threads of a process have waited for a processor, in all. */
function waitedMs(pid: number): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const waits = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'));
    return waits.reduce((sum, text) => sum + Number(text.split(' ')[1]) / 1e6, 0);
  } catch {
    return undefined; // It has ended, or this is not Linux.
  }
}
