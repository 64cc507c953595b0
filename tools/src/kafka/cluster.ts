import type { TcpProxy } from '@leadership/testkit/faults';

/** What can be done to a cluster. */
export interface KafkaFaults {
  /** Its brokers can be killed, stopped, paused and started again, and their data put back. */
  readonly brokers: boolean;
  /** The way to its brokers can be made a bad one. */
  readonly connections: boolean;
}

/** The part of a KafkaJS configuration that says where a cluster is. */
export interface KafkaClient {
  readonly brokers: string[];
}

/** A cluster of Apache Kafka, for as long as it is not disposed of. */
export interface KafkaCluster extends AsyncDisposable {
  /** In words: `Apache Kafka 4.1.1, 3 brokers`. */
  readonly name: string;
  readonly can: KafkaFaults;
  /** `host:port` of each broker, through the proxies where there are any. */
  readonly bootstrap: readonly string[];
  /** `host:port` of each broker, past the proxies. */
  readonly direct: readonly string[];
  /** In the order of `bootstrap`. Empty where `can` says that they are out of reach. */
  readonly brokers: readonly KafkaBroker[];
  /** How a client connects through `bootstrap`. */
  client(): KafkaClient;
  /** The broker of that node id. Throws where it is out of reach. */
  broker(id: number): KafkaBroker;
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
}
