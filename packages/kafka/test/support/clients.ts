import type { KafkaCluster } from '@leadership/tools/kafka';
import { type KafkaOptions, platformatic } from '../../src/index.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { PlatformaticLogin, PlatformaticOptions } from '../../src/platformatic/options.ts';
import { platformaticWith } from '../../src/platformatic/platformatic-client.ts';

/** The client libraries that members can use. */
export const clientNames = ['kafkajs', 'platformatic'] as const;
export type ClientName = (typeof clientNames)[number];

/** The options by which a member connects as that user, with that client. */
export function connectedBy(
  client: ClientName,
  kafka: KafkaCluster,
  user?: string,
): Pick<KafkaOptions, 'kafka' | 'client'> {
  const config = kafka.client(user);
  if (client === 'kafkajs') return { kafka: config };
  return {
    kafka: { brokers: [...config.brokers] },
    client: platformatic(platformaticOptions(kafka, user)),
  };
}

/** The same client behind its port. */
export function clientBy(client: ClientName, kafka: KafkaCluster, user?: string): KafkaClient {
  const config = kafka.client(user);
  return client === 'kafkajs'
    ? kafkajsClient(config)
    : platformaticWith(platformaticOptions(kafka, user)).clientOf(config.brokers);
}

/** The same configuration as `platformatic()` takes it. */
function platformaticOptions(kafka: KafkaCluster, user?: string): PlatformaticOptions {
  const { ssl, sasl } = kafka.client(user);
  return {
    ...(typeof ssl === 'object' && { tls: ssl }),
    ...(sasl && {
      sasl: { ...sasl, mechanism: sasl.mechanism.toUpperCase() as PlatformaticLogin['mechanism'] },
    }),
  };
}
