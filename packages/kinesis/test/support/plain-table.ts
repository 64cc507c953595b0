import { defaultKeyNames, type Item, keys, textIn } from '../../src/table/layout.ts';
import type { Expected, Table } from '../../src/table/table.ts';

/** A request that reached the table. */
interface PlainRequest {
  readonly kind: 'items' | 'put' | 'remove';
  /** The name of the item. Empty for `items`. */
  readonly item: string;
  readonly isConsistent?: boolean;
}

/** A table of one group as a plain object: the unit tests control every answer. */
export interface PlainTable extends Table {
  /** The items by name. */
  readonly stored: Map<string, Item>;
  readonly asked: PlainRequest[];
  /** The items that eventually consistent reads return. Default: those in `stored`. */
  stale?: readonly Item[] | undefined;
  /** Runs before a request takes effect. It can wait or throw. */
  before?: ((request: PlainRequest, signal: AbortSignal) => Promise<void> | void) | undefined;
}

export function plainTable(): PlainTable {
  const unused = (): Promise<never> => Promise.reject(new Error('the test must not call this'));
  const stored = new Map<string, Item>();
  const asked: PlainRequest[] = [];
  const arrive = async (request: PlainRequest, signal: AbortSignal): Promise<void> => {
    asked.push(request);
    await table.before?.(request, signal);
  };
  const meets = (item: string, expected: Expected = {}): boolean =>
    Object.entries(expected).every(
      ([name, value]) => JSON.stringify(stored.get(item)?.[name]) === JSON.stringify(value),
    );
  const table: PlainTable = {
    kind: 'table',
    name: 'leases',
    keyNames: defaultKeyNames,
    region: async () => 'eu-west-1',
    describe: unused,
    create: unused,
    legacyRegions: unused,
    stored,
    asked,
    async items(_group, signal, isConsistent = true) {
      await arrive({ kind: 'items', item: '', isConsistent }, signal);
      return isConsistent ? [...stored.values()] : (table.stale ?? [...stored.values()]);
    },
    async put(data, expected, signal) {
      const item = textIn(data, keys.item) ?? '';
      await arrive({ kind: 'put', item }, signal);
      if (!meets(item, expected)) return { done: false, found: stored.get(item) };
      stored.set(item, data);
      return { done: true };
    },
    async remove(_group, item, expected, signal) {
      await arrive({ kind: 'remove', item }, signal);
      if (!meets(item, expected)) return { done: false, found: stored.get(item) };
      stored.delete(item);
      return { done: true };
    },
  };
  return table;
}

/** A request that is never answered. */
export function swallow(): Promise<never> {
  return new Promise(() => undefined);
}
