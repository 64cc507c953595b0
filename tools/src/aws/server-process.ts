import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { killOnExit } from '../backends/kill-on-exit.ts';
import { inTemporaryDirectory, type TemporaryDirectory } from '../backends/temporary-directory.ts';

/** A program that serves HTTP. */
export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  /** The number of ports that the program needs. It serves on the first one. */
  readonly ports: number;
  /**
   * Returns the arguments. `folder` is the program's own directory, which is removed when the
   * program has ended.
   */
  readonly args: (ports: readonly number[], folder: string) => readonly string[];
  readonly environment?: (ports: readonly number[]) => Readonly<Record<string, string>>;
}

/**
 * A process that serves HTTP on 127.0.0.1. Disposing kills it. It also ends if this process ends
 * first.
 */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
}

/**
 * Timeout for the first response, in milliseconds. An idle machine needs about a second; a starved
 * one much longer.
 */
const timeoutMs = 60_000;
/** Pause between two requests until the server responds, in milliseconds. */
const periodMs = 20;
/** The number of attempts with other ports, if another process takes one first. */
const attempts = 3;

/** Starts a server. Resolves once it responds. Rejects with its output if it does not. */
export async function serverProcess(
  program: ServerProgram,
  signal?: AbortSignal,
): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(program, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === attempts || !/EADDRINUSE|already in use/.test(String(error))) throw error;
    }
  }
}

async function start(
  program: ServerProgram,
  signal: AbortSignal | undefined,
): Promise<ServerProcess> {
  signal?.throwIfAborted();
  const ports = await freePorts(program.ports);
  return inTemporaryDirectory('leadership-aws', (directory) =>
    startIn(directory, program, ports, signal),
  );
}

async function startIn(
  directory: TemporaryDirectory,
  program: ServerProgram,
  ports: readonly number[],
  signal: AbortSignal | undefined,
): Promise<ServerProcess> {
  const [command, args] = await killOnExit([program.command, program.args(ports, directory.path)]);
  const child = spawn(command, args, {
    cwd: directory.path,
    env: { ...process.env, ...program.environment?.(ports) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const note = child.pid === undefined ? undefined : directory.occupy(child.pid);
  const exited = endOf(child);
  const url = `http://127.0.0.1:${ports[0]}`;
  let isWanted = false;
  const waiting = new AbortController();
  const attempt = AbortSignal.any([waiting.signal, ...(signal ? [signal] : [])]);
  const kill = async (): Promise<void> => {
    isWanted = false;
    child.kill('SIGKILL');
    await exited;
    note?.[Symbol.dispose]();
  };
  try {
    await Promise.race([
      answers(url, attempt),
      exited.then((output) => Promise.reject(new Error(`it ended before it served: ${output}`))),
    ]);
    isWanted = true;
    // Clients that wait for a response would otherwise not learn the reason.
    void exited.then(
      (output) =>
        isWanted &&
        process.stderr.write(`leadership: ${program.name} ended unexpectedly: ${output}\n`),
    );
    return {
      url,
      async [Symbol.asyncDispose]() {
        await kill();
        await directory[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await kill();
    throw new Error(`${program.name} cannot be started: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    // Without this, requests to a program that has ended would go on for a minute.
    waiting.abort();
  }
}

/**
 * Resolves with the end of the output, once the process has ended. Reads until then, because a full
 * pipe would block the process.
 */
function endOf(child: ChildProcess): Promise<string> {
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => resolve(output));
  });
}

async function answers(url: string, signal: AbortSignal): Promise<void> {
  const request = { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) };
  while (!request.signal.aborted) {
    // Any response counts, including an error for this invalid request.
    if (
      await fetch(url, request).then(
        (answer) => answer.text().then(() => true),
        () => false,
      )
    )
      return;
    await pause(periodMs, undefined, { signal });
  }
  signal.throwIfAborted();
  throw new Error(`it did not answer within ${timeoutMs} ms`);
}
