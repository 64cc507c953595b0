import type { TcpProxy } from '@leadership/testkit/faults';
import type { SaslMechanism } from './options.ts';

/** What can be done to a cluster. */
export interface KafkaFaults {
  /** Its brokers can be killed, stopped, paused and started again, and their data put back. */
  readonly brokers: boolean;
  /** The way to its brokers can be made a bad one. */
  readonly connections: boolean;
}

/** A user and a password. One shape for each mechanism, as KafkaJS has it. */
export type KafkaLogin = {
  readonly [mechanism in SaslMechanism]: { readonly mechanism: mechanism; readonly username: string; readonly password: string };
}[SaslMechanism];

/** The part of a KafkaJS configuration that says where a cluster is and who one is. */
export interface KafkaClient {
  readonly brokers: string[];
  readonly ssl?: { readonly ca: string[] };
  readonly sasl?: KafkaLogin;
}

/** A broker's data as they were at one moment. It goes with the cluster. */
export interface DataCopy {
  /** Puts it in place of what the broker has now, whose newest records are lost by that. Rejects where the broker runs. */
  putBack(): Promise<void>;
}

/** A cluster of Apache Kafka, for as long as it is not disposed of. */
export interface KafkaCluster extends AsyncDisposable {
  /** In words: `Apache Kafka 4.1.1, 3 brokers`. */
  readonly name: string;
  readonly can: KafkaFaults;
  /** `host:port` of each broker, through the proxies where there are any. */
  readonly bootstrap: readonly string[];
  /** `host:port` of each broker, past the proxies and without log-in: whoever comes here may do anything. */
  readonly direct: readonly string[];
  /** In the order of `bootstrap`. Empty where `can` says that they are out of reach. */
  readonly brokers: readonly KafkaBroker[];
  /** How a client connects through `bootstrap`, as that user where there are users. Default: `admin`. */
  client(user?: string): KafkaClient;
  /** The broker of that node id. Throws where it is out of reach. */
  broker(id: number): KafkaBroker;
  /** The node id of the broker that leads the partition. Waits for one where there is none; rejects after some 20 s. */
  leaderOf(topic: string, partition: number): Promise<number>;
  /** The node id of the broker that coordinates the consumer group. Waits and rejects likewise. */
  coordinatorOf(group: string): Promise<number>;
}

/** One broker, and what can be done to it. */
export interface KafkaBroker {
  /** Its `node.id`. */
  readonly id: number;
  /** Past the proxy: `host:port`. */
  readonly direct: string;
  readonly proxy: TcpProxy | undefined;
  /** Whether its process lives, paused or not. */
  readonly isRunning: boolean;
  /** SIGKILL, a crash. Resolves once it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, a controlled shutdown that hands over its partitions first. Resolves once it is gone. */
  stop(): Promise<void>;
  /** SIGSTOP: its connections stay open, and nobody answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /**
   * Starts it again on the data it has. Resolves once it serves clients; rejects where it runs.
   * After a crash that takes until the cluster has noticed that: up to `broker.session.timeout.ms` (stock: 9 s) after its last heartbeat.
   */
  start(): Promise<void>;
  /** Copies its data, but for the cluster's metadata. A broker that runs is paused meanwhile. */
  copyData(): Promise<DataCopy>;
}
