/**
 * Real etcd servers: for tests and benchmarks.
 *
 * @packageDocumentation
 */
export {
  type EtcdOptions,
  type EtcdProcess,
  type LocalEtcd,
  localEtcd,
} from './local-etcd.ts';
export { rolledBack } from './rolled-back.ts';
export { type EtcdCluster, hasEtcd, hasLocalEtcd, startEtcd } from './start-etcd.ts';
