// A Kafka cluster as tests and benchmarks use it, however it was started: they connect to it, and
// inject faults if it is local.
import type { TcpProxy } from '@leadership/testkit/faults';
import type { LocalServer } from '../backends/local-server.ts';
import type { SaslMechanism } from './options.ts';

/** The faults that can be injected into a cluster. */
export interface KafkaFaults {
  /** Whether brokers can be killed, stopped, paused and started again, and their data restored. */
  readonly brokers: boolean;
  /** Whether connections to brokers can be disturbed. */
  readonly connections: boolean;
}

/** A user and a password: one type for each mechanism, as in KafkaJS. */
export type KafkaLogin = {
  readonly [mechanism in SaslMechanism]: {
    readonly mechanism: mechanism;
    readonly username: string;
    readonly password: string;
  };
}[SaslMechanism];

/** The part of a KafkaJS configuration that contains addresses and credentials. */
export interface KafkaClient {
  readonly brokers: string[];
  readonly ssl?: { readonly ca: string[] };
  readonly sasl?: KafkaLogin;
}

/** A cluster of Apache Kafka. Disposing ends it if this process started it. */
export interface KafkaCluster extends AsyncDisposable {
  /** A name for messages: `Apache Kafka 4.1.1, 3 brokers`. */
  readonly name: string;
  readonly can: KafkaFaults;
  /** The `host:port` of each broker, through its proxy if it has one. */
  readonly bootstrap: readonly string[];
  /**
   * The `host:port` of each broker without a proxy. Clients need no login there and have all
   * rights.
   */
  readonly direct: readonly string[];
  /** The brokers, in the order of `bootstrap`. Empty if `can.brokers` is false. */
  readonly brokers: readonly KafkaBroker[];
  /**
   * Returns the configuration to connect through `bootstrap` as this user. Without security, the
   * user is ignored. Default: `admin`.
   */
  client(user?: string): KafkaClient;
  /** Returns the broker with this node id. Throws if `can.brokers` is false. */
  broker(id: number): KafkaBroker;
  /**
   * Resolves with the node id of the partition's leader. Waits for a leader, and rejects after
   * about 20 s without one.
   */
  leaderOf(topic: string, partition: number): Promise<number>;
  /**
   * Resolves with the node id of the group's coordinator. Waits for a coordinator, and rejects
   * after about 20 s without one.
   */
  coordinatorOf(group: string): Promise<number>;
}

/**
 * A broker into which faults can be injected. Its data are without the cluster's metadata. `stop` hands over its partitions first. After a crash,
 * `start` takes until the cluster has noticed it: up to `broker.session.timeout.ms` (default: 9 s)
 * after the last heartbeat.
 */
export interface KafkaBroker
  extends Pick<
    LocalServer,
    'isRunning' | 'kill' | 'stop' | 'pause' | 'resume' | 'start' | 'copyData'
  > {
  /** Its `node.id`. */
  readonly id: number;
  /** Its `host:port` without a proxy. */
  readonly direct: string;
  readonly proxy: TcpProxy | undefined;
}
