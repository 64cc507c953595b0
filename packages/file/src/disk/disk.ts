// Runs the file system calls of the election in a separate thread, which all sources of this
// process share. Node's thread pool serves the whole application: four slow DNS look-ups,
// compressions or password hashes in it would delay all renewals until the leases expire (decision
// 0032). A slow disk blocks that thread, but not the event loop.
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type DiskCalls, diskCalls, type WriteOptions } from './disk-calls.ts';
import type { DiskReply, DiskRequest } from './disk-thread.ts';

/** The calls of `DiskCalls` as asynchronous functions. */
export type Disk = {
  readonly [Name in keyof DiskCalls]: (
    ...args: Parameters<DiskCalls[Name]>
  ) => Promise<ReturnType<DiskCalls[Name]>>;
};

/** Called with the reason if no thread can be started. From then on calls block the event loop. */
export type Unthreaded = (reason: unknown) => void;

interface Pending {
  readonly request: DiskRequest;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Small limits for a cheap isolate. No memory is reserved for them. Megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64, stackSizeMb: 1 };

class DiskThread {
  readonly #pending = new Map<number, Pending>();
  readonly #holders = new Set<Unthreaded>();
  #worker: Worker | undefined;
  /** The reason why no thread can be started, once that is known. */
  #failure: { readonly reason: unknown } | undefined;
  #isAnswering = false;
  #count = 0;
  /** The calls of this turn. One message for all of them costs little more than one for each. */
  #next: DiskRequest[] = [];

  /** Keeps the thread alive until disposed. */
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
      if (this.#next.length === 0) queueMicrotask(() => this.#post());
      this.#next.push(request);
    });
  }

  #post(): void {
    const requests = this.#next;
    this.#next = [];
    // Those of a thread that has ended are settled, and no other one performs them.
    const waiting = requests.filter(({ id }) => this.#pending.has(id));
    if (waiting.length > 0) this.#worker?.postMessage(waiting);
  }

  #start(): Worker | undefined {
    const here = import.meta.url;
    // Node cannot run TypeScript in a thread, so the sources use the built program.
    const program = new URL(
      here.endsWith('.ts') ? '../../lib/disk-thread.js' : './disk-thread.js',
      here,
    );
    try {
      const worker = new Worker(program, {
        name: 'leadership-file',
        execArgv: [],
        env: {},
        resourceLimits,
      });
      worker.on('message', (replies: readonly DiskReply[]) => {
        for (const reply of replies) this.#settle(reply);
        if (this.#pending.size === 0) worker.unref();
        this.#endUnlessUsed();
      });
      worker.on('error', (error) => this.#ended(worker, error));
      worker.on('exit', (code) =>
        this.#ended(worker, new Error(`the disk thread exited with code ${code}`)),
      );
      worker.unref();
      this.#worker = worker;
    } catch (error) {
      this.#doWithout(error);
    }
    return this.#worker;
  }

  #settle({ id, value, failure }: DiskReply): void {
    this.#isAnswering = true;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (failure) pending?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
    else pending?.resolve(value);
  }

  /**
   * A thread that never answered cannot be started. A thread that did answer is replaced at the
   * next call.
   */
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

/** Keeps the disk thread alive until disposed. */
export function holdDisk(unthreaded: Unthreaded): Disposable {
  return thread.hold(unthreaded);
}

const names = Object.keys(diskCalls) as (keyof DiskCalls)[];

const threaded: Disk = Object.fromEntries(
  names.map((name) => [name, (...args: readonly unknown[]) => thread.call(name, args)]),
) as unknown as Disk;

/**
 * The disk. Calls that wait for the device itself (syncs) run in Node's pool, several at a time, so
 * that a renewal does not wait for them.
 */
export const disk: Disk = {
  ...threaded,
  sync: syncInPool,
  write: (...args) => (args[2].durable ? writeInPool : threaded.write)(...args),
};

async function syncInPool(path: string, flag: 'r' | 'r+' = 'r'): Promise<void> {
  const file = await open(path, flag);
  await file.sync().finally(() => file.close());
}

/** Only the wait for the device is in the pool. It opens the file itself: on Deno a descriptor is of one thread. */
async function writeInPool(path: string, text: string, { flag }: WriteOptions): Promise<void> {
  await threaded.write(path, text, { flag, durable: false });
  const file = await open(path, 'r+');
  await file.datasync().finally(() => file.close());
}
