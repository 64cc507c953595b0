import type { KafkaConfig } from './kafkajs/client.ts';
import type { KafkaOptions } from './options.ts';

/**
 * What `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC', options)` accepts: the URL names
 * brokers, group and topic.
 */
export interface KafkaUrlOptions extends Partial<Omit<KafkaOptions, 'kafka'>> {
  /**
   * The connection to the URL's brokers: TLS, SASL and other settings of KafkaJS. A KafkaJS client
   * is only accepted by `kafkaLeadership`.
   */
  readonly kafka?: Partial<KafkaConfig>;
}

declare module '@leadership/core' {
  interface BackendOptions {
    /** `kafka://HOST,HOST/GROUP?topic=TOPIC` */
    readonly kafka: KafkaUrlOptions;
  }
}
