// How a test describes the Kafka cluster that it needs.

/** The supported versions of brokers. */
export type KafkaVersion = '4.1' | '3.9';

/** The password mechanisms of SASL, with KafkaJS's names. */
export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** The security of a cluster. Absent parts are disabled. */
export interface KafkaSecurity {
  /** Clients must log in with this mechanism. */
  readonly sasl?: SaslMechanism;
  /** Connections are encrypted with a self-signed certificate. */
  readonly tls?: boolean;
  /**
   * Users other than `admin` have only the rights that ACLs grant. Requires `sasl`, which
   * distinguishes users.
   */
  readonly acls?: boolean;
  /** The users in addition to `admin`. Default: `member`. */
  readonly users?: readonly string[];
}

/** Options of a cluster. */
export interface KafkaOptions {
  /** The number of nodes. Each one is both broker and controller. */
  readonly brokers: 1 | 3;
  /** The version of Kafka. Default: 4.1. */
  readonly version?: KafkaVersion;
  /** Default: no login, no encryption, and all rights for every client. */
  readonly security?: KafkaSecurity;
  /**
   * Settings of every broker. They cannot change roles, addresses, directories and security.
   * `clusterSettings` lists the other settings that differ from Kafka's defaults.
   */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Whether clients connect through a proxy per broker, which can cut connections. Only for local
   * brokers. Default: true.
   */
  readonly proxied?: boolean;
  /**
   * Whether the caller injects faults. If so, a cluster without support for faults is rejected.
   * Default: false.
   */
  readonly faults?: boolean;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
}
