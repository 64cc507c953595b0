// The programs of the pages about locks, as processes that a test stops and continues.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';

/** A process that sends invoices while it leads. Disposing kills it. */
export interface Worker extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Returns how many of its lines contain this text. */
  count(text: string): number;
  /** Resolves once it has printed a further line with this text. */
  says(text: string): Promise<void>;
}

/** Starts a program of `examples/src`. It never outlives this process. */
export function startWorker(
  program: string,
  name: string,
  env: Readonly<Record<string, string>>,
): Worker {
  const path = resolve(import.meta.dirname, '../src', program);
  const child = spawn(process.execPath, [path, name], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guard = runOnExit('kill -KILL "$0"', String(child.pid ?? 0));
  const exited = once(child, 'close').finally(() => guard[Symbol.dispose]());
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => lines.push(line));
  const count = (text: string): number => lines.filter((line) => line.includes(text)).length;
  return {
    process: child,
    count,
    async says(text) {
      const before = count(text);
      await eventually(`${name} says "${text}" again`, () => count(text) > before, {
        details: () => `:\n${lines.join('\n')}`,
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** How long a line takes to arrive. Milliseconds. */
const arrivalMs = 300;

/** Begins a fault while the worker is in the middle of an invoice. Disposing the result ends it. */
export async function amidInvoice(worker: Worker, begin: () => Disposable): Promise<Disposable> {
  for (;;) {
    await worker.says('begins invoice');
    const fault = begin();
    await pause(arrivalMs);
    // A starved test may have begun it after the invoice was sent.
    if (worker.count('begins invoice') > worker.count('has sent invoice')) return fault;
    fault[Symbol.dispose]();
  }
}

/** Stops a worker until the result is disposed. */
export function stopped(worker: Worker): Disposable {
  worker.process.kill('SIGSTOP');
  return { [Symbol.dispose]: () => worker.process.kill('SIGCONT') };
}

/** Kills a worker while no query is under way: a pooler ends the session of a client that leaves one. */
export async function killedAmidInvoice(worker: Worker): Promise<void> {
  await amidInvoice(worker, () => stopped(worker));
  await worker[Symbol.asyncDispose]();
}

/** Returns the numbers of invoices that were sent twice, or after a later one. */
export function wronglySent(sent: readonly { readonly number: number }[]): readonly number[] {
  return sent.map(({ number }) => number).filter((number, index) => number !== index + 1);
}
