// Opens the adapter for SQLite by URL: openLeadership('sqlite:?group=billing', { database }).
import { type BackendModule, mergeAddress } from '@leadership/core/adapter';
import { type SqliteOptions, sqliteLeadership } from './sqlite-leadership.ts';

/** The backend module. Register it once, with `registerBackend`. */
export const sqliteBackend: BackendModule = {
  scheme: 'sqlite',
  parameters: {},
  open: (address, options) => sqliteLeadership(mergeAddress(address, options) as SqliteOptions),
};

declare module '@leadership/core' {
  interface BackendOptions {
    readonly sqlite: Partial<SqliteOptions>;
  }
}
