import { defaultKeyNames, type Item } from '../../src/table/layout.ts';
import type { Expected, Table } from '../../src/table/table.ts';
import { nameIn } from '../../src/table/texts.ts';

/** A request that reached the table. */
interface PlainRequest {
  readonly kind: 'items' | 'get' | 'put' | 'remove' | 'create';
  /** The name of the item, or the beginning of a range. Empty for all items. */
  readonly item: string;
}

/** A table of one group as a plain object: the unit tests control every answer. */
export interface PlainTable extends Table {
  /** The items by name. */
  readonly stored: Map<string, Item>;
  readonly asked: PlainRequest[];
  /** Runs once a write has taken effect: if it throws, the reply is lost. */
  after?: ((request: PlainRequest) => void) | undefined;
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
    async get(_group, items, signal) {
      await arrive({ kind: 'get', item: items.join() }, signal);
      return items.map((item) => stored.get(item)).filter((item) => item !== undefined);
    },
    async createAll(items, set, signal) {
      const names = items.map(nameIn);
      await arrive({ kind: 'create', item: names.join() }, signal);
      if (names.some((name) => stored.has(name))) return names.map((name) => stored.has(name));
      for (const item of [...items, set]) stored.set(nameIn(item), item);
      return 'done';
    },
    async items(_group, signal, { range = { prefix: '' } } = {}) {
      const item = 'from' in range ? range.from : range.prefix;
      await arrive({ kind: 'items', item }, signal);
      return [...stored.values()].filter((one) =>
        'from' in range ? nameIn(one) >= item : nameIn(one).startsWith(item),
      );
    },
    async put(data, expected, signal) {
      const item = nameIn(data);
      await arrive({ kind: 'put', item }, signal);
      if (!meets(item, expected)) return { done: false, found: stored.get(item) };
      stored.set(item, data);
      table.after?.({ kind: 'put', item });
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
