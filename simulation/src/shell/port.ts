// The store as a source sees it: a promise for each request that the world answers, late or never.
import { type ListingStore, pollRows } from '@leadership/core/adapter';
import type { Exchanged, Input, NamedText, Rows } from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import { callFloor } from '../rows/floor.ts';
import { traitsOf } from '../rows/node.ts';
import { sendExchange } from '../rows/store.ts';
import type { Node, World } from './world.ts';

type Answer = Input & { readonly kind: 'exchanged' | 'floor' };

/** A request without an answer. */
interface Pending {
  /** The rows of the parts of the answer so far. */
  readonly rows: NamedText[];
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** The requests of one life of a process. */
export class Port {
  /** Whether the source has closed its rows. */
  isClosed = false;
  wake: ((rows?: readonly NamedText[]) => void) | undefined;
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  /** Sends a request under a number of its own, and resolves with the answer to that number. */
  ask(signal: AbortSignal, send: (id: number) => void): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#pending.delete(id);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      const done = (): void => signal.removeEventListener('abort', abort);
      this.#pending.set(id, {
        rows: [],
        resolve(answer) {
          done();
          resolve(answer);
        },
        reject(error) {
          done();
          reject(error);
        },
      });
      send(id);
    });
  }

  /** Takes what the world would feed a machine. */
  receive(input: Input): void {
    if (input.kind === 'notified') return this.wake?.(input.rows);
    const pending = 'id' in input ? this.#pending.get(input.id) : undefined;
    if (pending === undefined || !('id' in input)) return;
    if (input.kind === 'exchanged') pending.rows.push(...input.answer.rows);
    if (input.kind === 'exchanged' && input.hasMore === true) return;
    this.#pending.delete(input.id);
    if (input.kind === 'failed') return pending.reject(new Error(input.message));
    if (input.kind === 'floor') return pending.resolve(input);
    pending.resolve({ ...input, answer: { ...input.answer, rows: pending.rows } });
  }
}

/** Returns the rows of the present life of a process. */
export function rowsFor(world: World, node: Node): Rows {
  const { port } = node;
  const { thresholdMs: limitMs, polls, hasFloor } = world.scenario;
  const ask = (signal: AbortSignal, send: (id: number) => void): Promise<Answer> => {
    if (port.isClosed) violation(world, 'closes', node, -1, 'sends a request after it has closed');
    return port.ask(signal, send);
  };
  const rows: Rows = {
    name: 'the store',
    traits: traitsOf(world),
    ...(hasFloor && {
      floor: {
        async read(signal) {
          const answer = await ask(signal, (id) =>
            callFloor(world, node, { kind: 'floor', id, limitMs }),
          );
          return answer.kind === 'floor' ? answer.token : 0n;
        },
        async raise(raise, signal) {
          await ask(signal, (id) => callFloor(world, node, { kind: 'floor', id, limitMs, raise }));
        },
      },
    }),
    async open(signal) {
      await rows.exchange({ changes: [], since: undefined }, signal);
    },
    async exchange(request, signal) {
      const answer = await ask(signal, (id) =>
        sendExchange(world, node, { kind: 'exchange', id, limitMs, ...request }),
      );
      if (answer.kind !== 'exchanged') throw new Error('an exchange has another answer');
      return answer.answer;
    },
    async listen(wake) {
      port.wake = wake;
    },
    close() {
      port.isClosed = true;
    },
  };
  return polls ? pollRows(listingOf(rows)) : rows;
}

/** Returns the store as one that can only list, and replace on a condition. */
function listingOf({ traits, ...rows }: Rows): ListingStore {
  return {
    ...rows,
    changesMax: traits.changesMax,
    async list(signal) {
      const answer = await rows.exchange({ changes: [], since: undefined, isWhole: true }, signal);
      const texts = answer.rows.flatMap(([name, text]) =>
        text === null ? [] : [[name, text] as const],
      );
      const isDoubted = traits.isDoubtedAtFirst === true;
      return { rows: new Map(texts), history: historyOf(answer), isDoubted };
    },
    async replace(changes, signal) {
      const { outcomes } = await rows.exchange({ changes, since: undefined }, signal);
      return outcomes;
    },
  };
}

function historyOf({ position }: Exchanged): string {
  return String((position as { readonly history: number }).history);
}
