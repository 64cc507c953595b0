/**
 * Real servers of MariaDB or MySQL: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export { type LocalMysql, localMysql, type MysqlServerOptions } from './local-mysql.ts';
export { hasLocalMysql, hasMysql, type MysqlServer, startMysql } from './start-mysql.ts';
