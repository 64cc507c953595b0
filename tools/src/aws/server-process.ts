import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { dyingWithUs } from '../backends/dying-with-us.ts';
import { keptFolder } from '../backends/kept-folder.ts';

/** A program that serves HTTP. */
export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  /** How many ports it takes. It serves on the first. */
  readonly ports: number;
  /** `folder` is its own: removed with it, whatever it leaves there. */
  readonly args: (ports: readonly number[], folder: string) => readonly string[];
  readonly environment?: (ports: readonly number[]) => Readonly<Record<string, string>>;
}

/** A process that serves HTTP on 127.0.0.1. Disposing kills it; should this process die first, that is seen to as well. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** For a starved machine: an idle one takes a second. Milliseconds. */
const patienceMs = 60_000;
/** How often is asked whether it serves. Milliseconds. */
const periodMs = 20;
/** How often other ports are tried, where somebody takes one first. */
const attempts = 3;

/** Starts a server. Resolves once it answers; rejects with what it said where it does not. */
export async function serverProcess(program: ServerProgram, signal?: AbortSignal): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(program, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === attempts || !/EADDRINUSE|already in use/.test(String(error))) throw error;
    }
  }
}

async function start(program: ServerProgram, signal: AbortSignal | undefined): Promise<ServerProcess> {
  signal?.throwIfAborted();
  const ports = await freePorts(program.ports);
  const kept = await keptFolder('leadership-aws');
  const [command, args] = await dyingWithUs([program.command, program.args(ports, kept.path)]);
  const child = spawn(command, args, {
    cwd: kept.path,
    env: { ...process.env, ...program.environment?.(ports) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const note = child.pid === undefined ? undefined : kept.occupy(child.pid);
  const gone = endOf(child);
  const url = `http://127.0.0.1:${ports[0]}`;
  let isWanted = false;
  const end = async (): Promise<void> => {
    isWanted = false;
    child.kill('SIGKILL');
    await gone;
    note?.[Symbol.dispose]();
    await kept[Symbol.asyncDispose]();
  };
  try {
    await Promise.race([answers(url, signal), gone.then((said) => Promise.reject(new Error(`it ended before it served: ${said}`)))]);
    isWanted = true;
    // Whatever waits for it from here on waits in vain, and would not know why.
    void gone.then((said) => isWanted && process.stderr.write(`leadership: ${program.name} ended by itself: ${said}\n`));
    return { url, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw new Error(`${program.name} cannot be started: ${(error as Error).message}`, { cause: error });
  }
}

/** Resolves with the last that it said, once it has ended. Reads on as long as it lives: one whose words nobody takes would block. */
function endOf(child: ChildProcess): Promise<string> {
  let said = '';
  const hear = (words: Buffer): void => {
    said = (said + words.toString()).slice(-2000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(said));
  });
}

async function answers(url: string, signal: AbortSignal | undefined): Promise<void> {
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    signal?.throwIfAborted();
    // Any answer is one, also that this is no way to ask.
    if (
      await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).then(
        (answer) => answer.text().then(() => true),
        () => false,
      )
    )
      return;
    await pause(periodMs);
  }
  throw new Error(`it did not answer within ${patienceMs} ms`);
}
