import type { LeadershipSource } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  type Host,
  mergeAddress,
  openSource,
  type ResolvedOptions,
  resolveOptions,
} from '@leadership/core/backend';
import { inductionBackend } from '@leadership/core/induction';
import { ledgerBackend } from '@leadership/core/ledger';
import { clientsOf } from './client.ts';
import { continuousParts, continuousTraits } from './continuous-parts.ts';
import { exclusiveParts } from './exclusive-parts.ts';
import { checkGroup, type KafkaOptions, kafkaBeside, type OwnOptions, placeIn, resolveOwn } from './options.ts';
import type { Wiring } from './wiring.ts';

/**
 * One member of a group on Kafka. Starts at once; `ready()` waits for the brokers.
 * @throws LeadershipError `invalid-options`
 */
export function kafkaLeadership(options: KafkaOptions): LeadershipSource {
  const { kafka, topic, sessionTimeoutMs, topicCheck, guarantee, beats, ...common } = options;
  const own = resolveOwn(options);
  const resolved = resolveOptions(common);
  return openSource(kafkaBackend(own, resolved), resolved);
}

/** For `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC')`. */
export const backend: BackendModule = {
  scheme: 'kafka',
  parameters: { topic: 'string', sessionTimeoutMs: 'number', topicCheck: 'string', guarantee: 'string', beats: 'string' },
  open(address, options) {
    const { brokers, group: named } = placeIn(address);
    // The query has been read as strings and numbers; what they say is checked like any other option.
    const { kafka, group = named ?? '', topic = '', ...rest } = mergeAddress(address, options) as Partial<KafkaOptions>;
    checkGroup(named, group);
    return kafkaLeadership({ ...rest, group, topic, kafka: kafkaBeside(brokers, kafka) });
  },
};

function kafkaBackend(own: OwnOptions, options: ResolvedOptions): Backend {
  const { group, partitions, thresholdMs, campaign } = options;
  const openClient = clientsOf(own.kafka);
  const wiringOf = (host: Host): Wiring => ({
    ...{ ...own, openClient, group, partitions, thresholdMs, observes: !campaign },
    ...{ clock: host.clock, host },
  });
  if (own.guarantee === 'exclusive') return ledgerBackend(options, (host) => exclusiveParts(wiringOf(host)));
  return inductionBackend({ ...options, beats: own.beats }, (host) => continuousParts(wiringOf(host), own), continuousTraits(own));
}
