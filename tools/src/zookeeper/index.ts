/**
 * A real ZooKeeper server, and Java programs that use Apache Curator: for benchmarks.
 *
 * @packageDocumentation
 */
export {
  type CuratorProgram,
  curatorProgram,
  startZooKeeper,
  type ZooKeeper,
} from './zookeeper.ts';
