/**
 * Real servers of MariaDB or MySQL: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export type { DatabaseServer } from '../backends/given-server.ts';
export { hasGalera, type LocalGalera, localGalera } from './local-galera.ts';
export { type LocalMysql, localMysql, type MysqlServerOptions } from './local-mysql.ts';
export { hasLocalMysql, hasMysql, startMysql } from './start-mysql.ts';
