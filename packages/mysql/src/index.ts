/**
 * Leader election on MySQL and MariaDB. One table holds the leases of all groups. {@link mysqlLeadership}
 * opens a source on it, and so does `openLeadership('mysql://HOST/DATABASE?group=GROUP')`.
 * {@link fence} lets a transaction in the same database commit only while its term is current.
 *
 * @packageDocumentation
 */
export type { SendStatements } from './connections.ts';
export type { FenceClient, FenceOptions, FenceTerm, SendOne } from './fence.ts';
export { fence } from './fence.ts';
export { backend, mysqlLeadership } from './mysql-leadership.ts';
export type { MysqlConnection, MysqlOptions, MysqlPool } from './options.ts';
export { mysqlMigration, type TableName } from './table.ts';
export type { MysqlUrlOptions } from './url-options.ts';
