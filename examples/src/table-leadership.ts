// An adapter for a store that can list its rows and replace one: `pollRows` makes rows of it.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import {
  leaseBackend,
  openSource,
  pollRows,
  type Rows,
  resolveOptions,
} from '@leadership/core/adapter';

/**
 * The operations of the store. A read returns at least the latest change that was acknowledged
 * before it began.
 */
export interface Table {
  /** Returns all rows whose name begins with `prefix`, as they were at one instant. */
  read(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /**
   * Changes the row to `text` if it holds `expected`, where `null` stands for no row. Returns whether
   * it did.
   */
  replace(
    row: string,
    expected: string | null,
    text: string | null,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** The options of `tableLeadership`. */
export interface TableOptions extends SourceOptions {
  readonly table: Table;
}

/** Joins a group in a table. */
export function tableLeadership({ table, ...common }: TableOptions): LeadershipSource {
  const options = resolveOptions(common, { keepsPartitionsMax: true });
  return openSource(
    leaseBackend(options, () => tableRows(table, options.group)),
    options,
  );
}

/** Returns the rows of one group, whose names begin with the name of the group. */
export function tableRows(table: Table, group: string): Rows {
  const prefix = `${encodeURIComponent(group)}/`;
  return pollRows({
    name: 'the table',
    changesMax: 32,
    async list(signal) {
      const rows = await table.read(prefix, signal);
      return { rows: new Map([...rows].map(([row, text]) => [row.slice(prefix.length), text])) };
    },
    async replace(changes, signal) {
      const outcomes: boolean[] = [];
      for (const { name, expected, text } of changes)
        outcomes.push(await table.replace(`${prefix}${name}`, expected, text, signal));
      return outcomes;
    },
    close: () => undefined,
  });
}
