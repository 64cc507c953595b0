// Opens a source on Kafka, by options (`kafkaLeadership`) or by URL (`backend`).
import { LeadershipError, type LeadershipSource, type SourceOptions } from '@leadership/core';
import {
  type Backend,
  type BackendModule,
  type Host,
  mergeAddress,
  type OptionLimits,
  openSource,
  type ResolvedOptions,
  resolveOptions,
} from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { shardedBackend } from '@leadership/core/internal/rows';
import { inductionBackend } from '@leadership/induction';
import { continuousParts, continuousTraits } from './continuous-parts.ts';
import type { KafkaClient } from './kafka-client.ts';
import type { KafkaConfig } from './kafkajs/client.ts';
import { kafkajsClient } from './kafkajs/kafkajs-client.ts';
import type { MemberContext } from './member-context.ts';
import {
  brokersBeside,
  brokersIn,
  type KafkaOptions,
  type OwnOptions,
  resolveOwn,
} from './options.ts';
import { kafkaShards } from './rows.ts';

const ownOptions: Readonly<Record<Exclude<keyof KafkaOptions, keyof SourceOptions>, true>> = {
  kafka: true,
  client: true,
  topic: true,
  sessionTimeoutMs: true,
  topicCheck: true,
  guarantee: true,
  beats: true,
};

/**
 * The limits by guarantee. Three members on one broker elect leaders of 10,000 partitions within 10 T at
 * the default T (`npm run bench -- kafka-scale`). In a `continuous` group each has beats of its own.
 */
function limitsOf({ guarantee }: OwnOptions): OptionLimits {
  const max = guarantee === 'exclusive' ? 10_000 : 256;
  const backend = guarantee === 'exclusive' ? 'Kafka' : 'continuous Kafka';
  return { partitions: { max, backend }, own: Object.keys(ownOptions) };
}

/**
 * Opens one member of a group on Kafka. The member starts at once; `ready()` waits for the brokers.
 * @throws LeadershipError `invalid-options`
 */
export function kafkaLeadership(options: KafkaOptions): LeadershipSource {
  const { kafka, client, topic, sessionTimeoutMs, topicCheck, guarantee, beats, ...common } =
    options;
  const own = resolveOwn(options);
  const resolved = resolveOptions(common, limitsOf(own));
  return openSource(kafkaBackend(own, resolved), resolved);
}

/** The backend behind `openLeadership('kafka://HOST,HOST/GROUP?topic=TOPIC')`. */
export const backend: BackendModule = {
  scheme: 'kafka',
  parameters: {
    topic: 'string',
    client: 'string',
    sessionTimeoutMs: 'number',
    topicCheck: 'string',
    guarantee: 'string',
    beats: 'string',
  },
  open(address, options) {
    const { brokers, group: named } = brokersIn(address);
    const { kafka: given } = options as Partial<KafkaOptions>;
    const place = { group: named, kafka: { brokers: brokersBeside(brokers, given) } };
    // The query was parsed as strings and numbers; their values are checked like any other option.
    const merged = mergeAddress(address, options, place) as Partial<KafkaOptions> & typeof place;
    const { group = '', topic = '', ...rest } = merged;
    return kafkaLeadership({ ...rest, group, topic });
  },
};

function kafkaBackend(own: OwnOptions, options: ResolvedOptions): Backend {
  const { group, partitions, thresholdMs, campaign } = options;
  const client = clientOf(own);
  const wiringOf = (host: Host): MemberContext => {
    const warnings = new HealthReporter(host, 'warning');
    client.flaws?.((sentence) =>
      warnings.raise(sentence, new LeadershipError('misconfigured-backend', sentence)),
    );
    return {
      ...own,
      client,
      group,
      partitions,
      thresholdMs,
      candidacy: { isCandidate: campaign },
      clock: host.clock,
      host,
    };
  };
  if (own.guarantee === 'exclusive')
    return shardedBackend(options, (host) => kafkaShards(wiringOf(host)), { sightMs: 0 });
  const { driftRate, metadata } = options;
  const listing = { driftRate, metadata };
  return inductionBackend(
    { ...options, beats: own.beats },
    (host) => continuousParts(wiringOf(host), own, { host, ...listing }),
    continuousTraits(own),
  );
}

function clientOf({ kafka, choice }: OwnOptions): KafkaClient {
  if (choice === undefined || 'consumer' in kafka) return kafkajsClient(kafka);
  return choice.clientOf((kafka as KafkaConfig).brokers);
}
