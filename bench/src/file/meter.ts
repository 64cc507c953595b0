// Times the calls that a member makes of its disk, from outside: the thread that makes them is started through a metered class.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** A request to the disk's thread, as far as it matters here. */
interface DiskRequest {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/**
 * From now on the renewals of this process are timed. A renewal is what begins with writing its record aside and ends when that
 * file is removed again: its link, and the second look at what it replaces, lie between. Returns a function that returns the
 * times since it was last called, in milliseconds.
 */
export function meterRenewals(): () => readonly number[] {
  const timed: number[] = [];
  class MeteredWorker extends threads.Worker {
    /** When the file of a record was written, by its path. */
    readonly #begun = new Map<unknown, number>();
    /** The same, by the id of the request that removes the file. */
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
      if (name === 'write' && isRecord(text)) this.#begun.set(path, performance.now());
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

/** Returns whether a text is the record of a lease: presence and requests for a lease are written too. */
function isRecord(text: unknown): boolean {
  return typeof text === 'string' && text.includes('"kind":"hold"');
}
