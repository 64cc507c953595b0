// Loaded into a member process by the benchmark `file-renewal`: replaces the worker class through
// which the file backend starts its disk thread, to measure each renewal from outside.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** The fields of a request to the disk thread that the meter reads. */
interface DiskRequest {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/**
 * Starts to measure the renewals of this process. A renewal begins when the disk thread writes the
 * record to a temporary file, and ends when it removes that file. Linking the file, and reading the
 * record that it replaces again, happen between the two. Returns a function that returns the
 * durations since its previous call, in milliseconds.
 */
export function meterRenewals(): () => readonly number[] {
  const timed: number[] = [];
  class MeteredWorker extends threads.Worker {
    /** Path of a record's temporary file → when its write was requested. */
    readonly #begun = new Map<unknown, number>();
    /** Id of the request that removes such a file → when its write was requested. */
    readonly #ending = new Map<number, number>();

    constructor(...args: ConstructorParameters<typeof threads.Worker>) {
      super(...args);
      this.on('message', ({ id }: { readonly id: number }) => {
        const begunAt = this.#ending.get(id);
        if (begunAt !== undefined) timed.push(performance.now() - begunAt);
        this.#ending.delete(id);
      });
    }

    override postMessage(request: DiskRequest): void {
      this.#note(request);
      super.postMessage(request);
    }

    #note({ id, name, args: [path, text] }: DiskRequest): void {
      if (name === 'write' && isRenewal(text)) this.#begun.set(path, performance.now());
      const begunAt = name === 'unlink' ? this.#begun.get(path) : undefined;
      if (begunAt === undefined) return;
      this.#begun.delete(path);
      this.#ending.set(id, begunAt);
    }
  }
  Object.assign(threads, { Worker: MeteredWorker });
  syncBuiltinESMExports();
  return () => timed.splice(0);
}

/** Returns whether a text renews a session. Members also write owners of partitions, and notes. */
function isRenewal(text: unknown): boolean {
  return typeof text === 'string' && text.includes('"kind":"live"');
}
