import type { KafkaConfig } from './kafkajs/client.ts';
import type { KafkaOptions } from './options.ts';

/** What `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC', options)` accepts: the URL names brokers, group and topic. */
export interface KafkaUrlOptions extends Partial<Omit<KafkaOptions, 'kafka'>> {
  /** How the brokers are reached: TLS, SASL and other settings of KafkaJS beside the URL's brokers. A ready client is for `kafkaLeadership`. */
  readonly kafka?: Partial<KafkaConfig>;
}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `kafka://HOST,HOST/GROUP?topic=TOPIC` */
    readonly kafka: KafkaUrlOptions;
  }
}
