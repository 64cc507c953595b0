// The command `leadership guard`: releases the lease of a member of this host as soon as its
// process has died.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { LeadershipError } from '@leadership/core';
import { type GuardHello, guardVariable } from '@leadership/core/internal/guard';
import { exitCodeOf, passedOn, startFailed } from '../exit-codes.ts';
import { say } from '../say.ts';
import { endSignals, passedSignals } from '../signals.ts';
import { GuardServer } from './guard-server.ts';
import { Observers, type Released } from './observers.ts';

/** The options of `guard`. */
export interface GuardOptions {
  /** Milliseconds between the proof of a death and the release. */
  readonly grace: number;
  /** The folder of the socket. Default: a temporary one. */
  readonly listen?: string;
}

/** How long the exit of the wrapper may wait for the store. Milliseconds. */
const releaseMsMax = 5000;

/**
 * Runs an application, or only listens for some. Releases the leases of every member that is proved
 * dead (L13, L16). Returns the exit code.
 */
export async function guard(
  commandLine: readonly string[],
  options: GuardOptions,
): Promise<number> {
  if (process.platform !== 'linux')
    throw new LeadershipError(
      'unsupported-runtime',
      'guard needs Linux: elsewhere a full backlog looks like a process that has ended',
    );
  if (commandLine.length === 0 && options.listen === undefined)
    throw new LeadershipError(
      'invalid-options',
      'guard needs a command after --, or --listen DIR for applications that are started elsewhere',
    );
  const { listen } = options;
  const folder = listen === undefined ? await temporaryFolder() : resolve(listen);
  const guarding = new Guarding(folder, options);
  try {
    return await guarding.code(commandLine);
  } finally {
    await guarding.close();
    if (listen === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Only this user can reach a socket in it. */
function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'leadership-guard-'));
}

class Guarding {
  readonly #server: GuardServer;
  readonly #folder: string;
  readonly #graceMs: number;
  readonly #observers = new Observers();
  readonly #releasing = new Set<Promise<void>>();

  constructor(folder: string, { grace }: GuardOptions) {
    this.#folder = folder;
    this.#graceMs = grace;
    this.#server = new GuardServer(folder, {
      joined: (hello) => this.#joined(hello),
      left: (hello, how) => this.#left(hello, how),
    });
  }

  /** Listens until the command has ended, or without one until a signal. */
  async code(commandLine: readonly string[]): Promise<number> {
    await this.#server.listen();
    const [command, ...args] = commandLine;
    if (command === undefined) {
      say(`listens; start applications with ${guardVariable}=${this.#server.path}`);
      return await untilSignal();
    }
    const env = { ...process.env, [guardVariable]: this.#server.path };
    const code = await ended(() => spawn(command, args, { env, stdio: 'inherit' }));
    await this.#released();
    return code;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#observers.close();
  }

  #joined(hello: GuardHello): void {
    const { member, url, problem } = hello;
    if (url === undefined) return say(`does not guard member ${member}: ${problem ?? 'no URL'}`);
    this.#observers.add(url, hello).then(
      () => say(`guards member ${member} of ${withoutQuery(url)}`),
      (error: unknown) => say(`cannot guard member ${member}: ${String(error)}`),
    );
  }

  #left(hello: GuardHello, how: 'died' | 'goodbye' | 'unproved'): void {
    const { member, url } = hello;
    if (how === 'unproved')
      say(
        `the connection of member ${member} ended, which does not prove its death: its leases lapse`,
      );
    if (url === undefined) return;
    if (how !== 'died') return this.#observers.remove(url, hello);
    const releasing = this.#release(hello, url).then(() => {
      this.#releasing.delete(releasing);
      this.#observers.remove(url, hello);
    });
    this.#releasing.add(releasing);
  }

  async #release({ member, incarnation, address }: GuardHello, url: string): Promise<void> {
    say(`member ${member} is dead`);
    // Requests that the dead process has sent may still be on their way to other systems.
    if (this.#graceMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#graceMs));
    try {
      say(outcomeOf(member, await this.#observers.died(url, incarnation, member)));
    } catch (error) {
      say(`cannot release the leases of member ${member}, so they lapse: ${String(error)}`);
    }
    await unlink(join(this.#folder, address)).catch(() => undefined);
  }

  /** Resolves once everything was released for the command's processes, or after some seconds. */
  async #released(): Promise<void> {
    const { promise, cancel } = timeout(releaseMsMax + this.#graceMs);
    const all = async (): Promise<true> => {
      await this.#server.judged();
      while (this.#releasing.size > 0) await Promise.all(this.#releasing);
      return true;
    };
    const isReleased = await Promise.race([all(), promise]);
    cancel();
    if (!isReleased)
      say(`the store has confirmed no release for ${releaseMsMax} ms: what is left lapses after T`);
  }
}

/** States what became of the leases of a dead member. */
function outcomeOf(member: string, { released, lapsing }: Released): string {
  const parts = [
    ...(released.length > 0 ? [`released partition ${released.join(', ')}`] : []),
    ...(lapsing.length > 0
      ? [`partition ${lapsing.join(', ')} lapses, because its term was younger than T`]
      : []),
  ];
  return `member ${member}: ${parts.join('; ') || 'it led no partition that the guard knows of'}`;
}

function timeout(ms: number): { readonly promise: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    cancel = () => clearTimeout(timer);
  });
  return { promise, cancel: () => cancel() };
}

/** Starts the command, and passes signals on to it. Resolves with the exit code that it leaves. */
async function ended(start: () => ChildProcess): Promise<number> {
  let child: ChildProcess;
  try {
    child = start();
  } catch (error) {
    // Node throws some errors, and emits others.
    const { code, message } = error as NodeJS.ErrnoException;
    say(message);
    return startFailed(code);
  }
  const pass = (signal: NodeJS.Signals): void => {
    // A terminal sends this signal to the command as well.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of [...endSignals, ...passedSignals]) process.on(signal, () => pass(signal));
  return await new Promise((resolve) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      say(message);
      resolve(startFailed(code));
    });
    child.once('exit', (code, signal) => resolve(passedOn(code, signal)));
  });
}

function untilSignal(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of endSignals) process.once(signal, () => resolve(exitCodeOf(signal)));
  });
}

/** The query may be long. */
function withoutQuery(url: string): string {
  return url.split('?')[0] ?? url;
}
