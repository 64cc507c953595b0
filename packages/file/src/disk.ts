// The disk, as the election uses it: through a thread of its own, which all sources of this process share. Node's own pool
// serves the whole application: four slow look-ups, compressions or password hashes there would hold up every renewal until
// the leases are lost (decision 0032). A slow disk holds up that thread, and not the event loop.
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type DiskCalls, diskCalls, type WriteOptions } from './disk-calls.ts';
import type { DiskReply, DiskRequest } from './disk-thread.ts';

/** The calls of `DiskCalls`, answered later. */
export type Disk = {
  readonly [Name in keyof DiskCalls]: (...args: Parameters<DiskCalls[Name]>) => Promise<ReturnType<DiskCalls[Name]>>;
};

/** Called with the reason when there is no thread: from then on calls block the event loop. */
export type Unthreaded = (reason: unknown) => void;

interface Pending {
  readonly request: DiskRequest;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** So small that another isolate costs little. Megabytes: a limit, none of it is set aside. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64, stackSizeMb: 1 };

class DiskThread {
  readonly #pending = new Map<number, Pending>();
  readonly #holders = new Set<Unthreaded>();
  #worker: Worker | undefined;
  /** Why there is no thread, once that is known. */
  #failure: { readonly reason: unknown } | undefined;
  #isAnswering = false;
  #count = 0;

  /** Keeps the thread until disposed. */
  hold(unthreaded: Unthreaded): Disposable {
    this.#holders.add(unthreaded);
    if (this.#failure) unthreaded(this.#failure.reason);
    return {
      [Symbol.dispose]: () => {
        this.#holders.delete(unthreaded);
        this.#endUnlessUsed();
      },
    };
  }

  call(name: keyof DiskCalls, args: readonly unknown[]): Promise<unknown> {
    return this.#send(name, args);
  }

  #send(name: keyof DiskCalls, args: readonly unknown[]): Promise<unknown> {
    this.#count += 1;
    const request = { id: this.#count, name, args };
    return new Promise((resolve, reject) => {
      const pending = { request, resolve, reject };
      const worker = this.#failure ? undefined : (this.#worker ?? this.#start());
      if (worker === undefined) return callHere(pending);
      if (this.#pending.size === 0) worker.ref();
      this.#pending.set(request.id, pending);
      worker.postMessage(request);
    });
  }

  #start(): Worker | undefined {
    const here = import.meta.url;
    // Node runs no TypeScript in a thread: the sources use what was built.
    const program = new URL(here.endsWith('.ts') ? '../dist/disk-thread.js' : './disk-thread.js', here);
    try {
      const worker = new Worker(program, { name: 'leadership-file', execArgv: [], env: {}, resourceLimits });
      worker.on('message', (reply: DiskReply) => this.#settle(worker, reply));
      worker.on('error', (error) => this.#ended(worker, error));
      worker.on('exit', (code) => this.#ended(worker, new Error(`the disk thread ended with code ${code}`)));
      worker.unref();
      this.#worker = worker;
    } catch (error) {
      this.#doWithout(error);
    }
    return this.#worker;
  }

  #settle(worker: Worker, { id, value, failure }: DiskReply): void {
    this.#isAnswering = true;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) worker.unref();
    if (failure) pending?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
    else pending?.resolve(value);
    this.#endUnlessUsed();
  }

  /** A thread that never answered will not do so next time; one that did is replaced by the next call. */
  #ended(worker: Worker, reason: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    if (!this.#isAnswering) this.#doWithout(reason);
    for (const one of pending) {
      if (this.#failure) callHere(one);
      else one.reject(reason);
    }
  }

  #doWithout(reason: unknown): void {
    this.#failure = { reason };
    for (const unthreaded of this.#holders) unthreaded(reason);
  }

  #endUnlessUsed(): void {
    if (this.#holders.size > 0 || this.#pending.size > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isAnswering = false;
    void worker?.terminate();
  }
}

function callHere({ request: { name, args }, resolve, reject }: Pending): void {
  try {
    resolve((diskCalls[name] as (...args: readonly unknown[]) => unknown)(...args));
  } catch (error) {
    reject(error);
  }
}

const thread = new DiskThread();

/** Keeps the disk's thread until disposed. */
export function holdDisk(unthreaded: Unthreaded): Disposable {
  return thread.hold(unthreaded);
}

const names = Object.keys(diskCalls) as (keyof DiskCalls)[];

const threaded: Disk = Object.fromEntries(
  names.map((name) => [name, (...args: readonly unknown[]) => thread.call(name, args)]),
) as unknown as Disk;

/** What waits for the disk itself, so that a renewal never waits for it: in Node's pool, several at a time. */
export const disk: Disk = { ...threaded, sync: syncInPool, write: (...args) => (args[2].durable ? writeInPool : threaded.write)(...args) };

async function syncInPool(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

async function writeInPool(path: string, text: string, { flag }: WriteOptions): Promise<void> {
  const file = await open(path, flag);
  const written = file.writeFile(text).then(() => file.datasync());
  await written.finally(() => file.close());
}
