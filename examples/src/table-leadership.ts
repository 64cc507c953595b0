// An adapter for a store of rows: the port `Rows`, and a factory that checks the options.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import { openSource, type Rows, resolveOptions, tableBackend } from '@leadership/core/adapter';

/**
 * The operations of the store. A read returns at least the latest change that was acknowledged
 * before it began.
 */
export interface Table {
  /** Returns all rows whose name begins with `prefix`. */
  read(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /**
   * Changes the row to `text` if it holds `expected`, where `null` stands for no row. Returns what
   * the row held before, which is `expected` if it was changed.
   */
  replace(
    row: string,
    expected: string | null,
    text: string | null,
    signal: AbortSignal,
  ): Promise<string | null>;
}

/** The options of `tableLeadership`. */
export interface TableOptions extends SourceOptions {
  readonly table: Table;
}

/** Joins a group in a table. */
export function tableLeadership({ table, ...common }: TableOptions): LeadershipSource {
  const options = resolveOptions(common);
  return openSource(
    tableBackend(options, () => rowsOf(table, options.group)),
    options,
  );
}

/** Returns the rows of one group, whose names begin with the name of the group. */
function rowsOf(table: Table, group: string): Rows {
  const prefix = `${encodeURIComponent(group)}/`;
  return {
    name: 'the table',
    async list({ signal }) {
      const rows = await table.read(prefix, signal);
      return new Map([...rows].map(([row, text]) => [row.slice(prefix.length), text]));
    },
    async replace({ name, expected, text }, signal) {
      const found = await table.replace(`${prefix}${name}`, expected, text, signal);
      return { isDone: found === expected, found };
    },
    close: () => undefined,
  };
}
