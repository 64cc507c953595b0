import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';
import { type Command, startCommand } from './command.ts';
import { growingFile } from './growing-file.ts';

/**
 * T, in milliseconds. A busy machine needs a second or two for a release and a claim, and a starved
 * one several more until a killed process has ended.
 */
export const thresholdMs = 10_000;

/** The program of the applications. */
export const application: string = fileURLToPath(new URL('./guarded.mjs', import.meta.url));

/** A line of an application. */
export interface Line {
  readonly kind: string;
  readonly name: string;
  readonly group: string;
  readonly pid: number;
  readonly token: string;
  readonly atNs: bigint;
  /** The end of the lease, as the application knew it. */
  readonly untilNs: bigint;
}

/** A started application. */
export interface Application {
  readonly process: ChildProcess;
  readonly name: string;
}

/** Where the source of an application runs. */
export type Place = 'main' | 'thread' | 'cluster';

/** A temporary directory with a folder for the socket of a guard, and applications beside it. */
export class Scene implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'leadership-guard-test-'));
  readonly #started: ChildProcess[] = [];
  readonly #guards: Command[] = [];
  readonly #env: Readonly<Record<string, string>>;
  readonly #lines: Line[] = [];
  /** The first line of each kind, by the name of its application and its group. */
  readonly #first = new Map<string, Line>();
  readonly #newLines = growingFile(join(this.directory, 'journal'));

  /** `env`: variables of all its processes. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  /** Starts a guard for all applications. */
  async guard(options: readonly string[] = []): Promise<Command> {
    const guard = startCommand(['guard', '--listen', this.directory, ...options], this.#env);
    this.#guards.push(guard);
    await eventually('the guard listens', () => guard.stderr().includes('listens'));
    return guard;
  }

  /** The URL of a group on files. */
  url(group: string): string {
    return `file:${join(this.directory, 'store')}?group=${group}&partitions=1&thresholdMs=${thresholdMs}`;
  }

  /** Starts an application that leads in these groups. */
  start(name: string, place: Place, urls: readonly string[]): Application {
    const child = spawn(process.execPath, [application, this.directory, name, place, ...urls], {
      env: { ...process.env, ...this.#env, LEADERSHIP_GUARD: join(this.directory, 'guard.sock') },
      stdio: 'ignore',
      detached: true,
    });
    const onExit = runOnExit('kill -KILL -- "-$0"', String(child.pid ?? 0));
    child.once('exit', () => onExit[Symbol.dispose]());
    this.#started.push(child);
    return { process: child, name };
  }

  /**
   * Resolves once a guard knows all terms so far for T. It counts the age of a term from when it has
   * read it, which is at most T late, and each clock leads T after its start.
   */
  async age(clocks: readonly string[] = ['clock', 'second-clock']): Promise<void> {
    for (const clock of clocks) {
      this.start(clock, 'main', [this.url(clock)]);
      await this.noted(clock, 'lead');
    }
  }

  /** Lets an application obey an order of `guarded.mjs`. */
  order(name: string, order: string): void {
    const path = join(this.directory, `${name}.order`);
    // Renamed into place, so that the application never reads half an order.
    writeFileSync(`${path}.new`, order);
    renameSync(`${path}.new`, path);
  }

  /** Returns what all applications have noted. */
  lines(): readonly Line[] {
    for (const line of this.#newLines().map(lineOf)) {
      this.#lines.push(line);
      const key = keyOf(line);
      if (!this.#first.has(key)) this.#first.set(key, line);
    }
    return this.#lines;
  }

  /** Resolves with the first line of that kind. */
  noted(name: string, kind: string, group = name): Promise<Line> {
    const key = keyOf({ name, kind, group });
    const noted = (): Line | undefined => {
      this.lines();
      return this.#first.get(key);
    };
    return eventually(`${name} notes "${kind}" in ${group}`, noted, { withinMs: 60_000 });
  }

  /** Returns the last known end of the lease of that application in the group of its name. */
  leaseEndNs(name: string): bigint {
    const ends = this.lines().filter((line) => line.name === name && line.untilNs > line.atNs);
    return ends.reduce((latest, { untilNs }) => (untilNs > latest ? untilNs : latest), 0n);
  }

  /** Returns what explains a failure: when the group had which leader, and what its guard said. */
  story(group: string): string {
    const lines = this.lines().filter((line) => line.group === group);
    const changes = lines.filter((line, at) => {
      const isLast = line.name !== lines[at + 1]?.name;
      return line.kind !== 'beat' || isLast;
    });
    const noted = changes.map(({ kind, name, token, atNs, untilNs }) =>
      [`${name} ${kind}`, `term ${token}`, `at ${ms(atNs)}`, `lease until ${ms(untilNs)}`].join(
        ', ',
      ),
    );
    const said = this.#guards.flatMap((guard) => guard.stderr().split('\n'));
    return [...noted, ...said.filter((text) => text.includes(group))].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started)
      if (child.exitCode === null && child.signalCode === null)
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
    for (const guard of this.#guards) await guard[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function lineOf(text: string): Line {
  const line = JSON.parse(text);
  return { ...line, atNs: BigInt(line.atNs), untilNs: BigInt(line.untilNs) };
}

function keyOf({ name, kind, group }: Pick<Line, 'name' | 'kind' | 'group'>): string {
  return [name, kind, group].join(' ');
}

function ms(ns: bigint): string {
  return `${ns / 1_000_000n} ms`;
}
