/** Releases that brokers can be of. */
export type KafkaVersion = '4.1' | '3.9';

/** The password mechanisms of SASL, by KafkaJS' names. */
export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** What clients have to show. Absent parts are off. */
export interface KafkaSecurity {
  /** Clients log in, as one of the users. */
  readonly sasl?: SaslMechanism;
  /** Connections are encrypted, under a certificate that the cluster makes for itself. */
  readonly tls?: boolean;
  /** Nobody but `admin` may do anything that no ACL allows. Takes `sasl`: without a log-in everyone is the same. */
  readonly acls?: boolean;
  /** Who can log in beside `admin`. Default: `member`. */
  readonly users?: readonly string[];
}

/** What is started. */
export interface KafkaOptions {
  /** How many. Each is broker and controller. */
  readonly brokers: 1 | 3;
  /** Default: 4.1. */
  readonly version?: KafkaVersion;
  /** Default: anybody may do anything. */
  readonly security?: KafkaSecurity;
  /** Settings of every broker; its roles, addresses, folders and guards stay as they are. See `serverProperties` for what else is not stock. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** Whether clients come through a proxy before each broker, so that connections can be cut: brokers of this host only. Default: yes. */
  readonly proxied?: boolean;
  /** Whether faults will be injected: a cluster where that is impossible will not do then. Default: no. */
  readonly faults?: boolean;
  /** Gives up starting. */
  readonly signal?: AbortSignal;
}
