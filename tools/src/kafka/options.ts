/** Releases that brokers can be of. */
export type KafkaVersion = '4.1' | '3.9';

/** What is started. */
export interface KafkaOptions {
  /** How many. Each is broker and controller. */
  readonly brokers: 1 | 3;
  /** Default: 4.1. */
  readonly version?: KafkaVersion;
  /** Settings of every broker, before those that this helper chooses; see `serverProperties` for what is not stock. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** Whether clients come through a proxy before each broker, so that connections can be cut. Default: yes. */
  readonly proxied?: boolean;
  /** Gives up starting. */
  readonly signal?: AbortSignal;
}
