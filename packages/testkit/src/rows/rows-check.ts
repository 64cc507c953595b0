import { randomUUID } from 'node:crypto';
import { codeIn, type Rows } from '@leadership/core/adapter';
import { eventually } from '../adapter/eventually.ts';
import { Reader } from './reader.ts';
import type { RowsFault, RowsStore } from './rows-store.ts';

/** One line of the contract of `Rows`, as a check that runs on any store. */
export interface RowsCheck {
  /** The unique kebab-case id, a part of test names. */
  readonly id: string;
  /** The promise in one sentence. */
  readonly title: string;
  /** What the store must offer; otherwise the check is skipped. */
  readonly needs: readonly RowsFault[];
  /** Whether the check stops or replaces the store, so that no other one may run beside it. */
  readonly alone: boolean;
  /** Rejects with a readable error if the promise is broken. */
  run(store: RowsStore): Promise<void>;
}

/** A store, and a group of this run. */
export interface RowsContext {
  readonly store: RowsStore;
  readonly group: string;
  /** Opens rows as a candidate, in the group of this run or in another one. Closed with the check. */
  open(group?: string): Promise<Reader>;
  /** Opens two members, of which the first has read. */
  pair(): Promise<readonly [Reader, Reader]>;
  /** Prepares rows that something else has opened. Closed with the check. */
  opened(reader: Reader, mayCreate?: boolean): Promise<Reader>;
}

interface Definition extends Pick<RowsCheck, 'id' | 'title'> {
  readonly needs?: readonly RowsFault[];
  readonly alone?: boolean;
  run(context: RowsContext): Promise<void>;
}

/** Creates a check. Each run has a group of its own, and closes what it has opened. */
export function rowsCheck({ id, title, needs = [], alone = false, run }: Definition): RowsCheck {
  return {
    id,
    title,
    needs,
    alone,
    async run(store) {
      const readers: Reader[] = [];
      const opened = async (reader: Reader, mayCreate = true): Promise<Reader> => {
        readers.push(reader);
        await openedAsByMember(reader.rows, mayCreate);
        return reader;
      };
      const own = `${id}-${randomUUID()}`;
      const open = async (group = own): Promise<Reader> =>
        opened(new Reader(await store.openRows(group)));
      const pair = async (): Promise<readonly [Reader, Reader]> => {
        const [first, second] = [await open(), await open()];
        await first.read();
        return [first, second];
      };
      try {
        await run({ store, group: own, open, pair, opened });
      } finally {
        await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
      }
    },
  };
}

/** Returns a method of the store that a check needs. */
export function offered<T>(method: T | undefined): T {
  if (method === undefined) throw new Error('the check does not name what it needs');
  return method;
}

/** Opens rows as a member does: again after no answer, as of a server that is starved or starts. */
async function openedAsByMember(rows: Rows, mayCreate: boolean): Promise<void> {
  let failure: unknown;
  const isOpen = async (): Promise<boolean> => {
    try {
      await rows.open?.(new AbortController().signal, mayCreate);
      return true;
    } catch (error) {
      if (codeIn(error) !== 'unreachable') throw error;
      failure = error;
      return false;
    }
  };
  await eventually('the rows are open', isOpen, { details: () => `: ${String(failure)}` });
}
