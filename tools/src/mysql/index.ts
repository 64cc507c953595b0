/**
 * Real servers of MariaDB or MySQL: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export { hasGalera, type LocalGalera, localGalera } from './local-galera.ts';
export { type LocalMysql, localMysql, type MysqlServerOptions } from './local-mysql.ts';
export { hasLocalMysql, hasMysql, type MysqlServer, startMysql } from './start-mysql.ts';
