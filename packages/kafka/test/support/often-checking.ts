import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/adapter';
import { inductionBackend } from '@leadership/induction';
import { continuousParts, continuousTraits } from '../../src/continuous-parts.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';

/** The interval of its checks, in milliseconds. */
const checkMs = 100;
/** T exceeds the shortest session that brokers allow by default. Milliseconds. */
const [sessionTimeoutMs, thresholdMs] = [6000, 9000];

/**
 * A member of a continuous election, with beats of all, that looks at its topic ten times a second.
 */
export function oftenChecking({
  client,
  topic,
}: {
  readonly client: KafkaClient;
  readonly topic: string;
}): LeadershipSource {
  const options = resolveOptions({ group: 'g', member: 'one', thresholdMs, partitions: 1 });
  const beats = 'all';
  const own = {
    topic,
    sessionTimeoutMs,
    topicCheck: 'full',
    client,
    group: 'g',
    partitions: 1,
    thresholdMs,
  } as const;
  const traits = continuousTraits({ sessionTimeoutMs, beats });
  const backend = inductionBackend(
    { ...options, beats },
    (host) =>
      continuousParts(
        { ...own, clock: host.clock, host },
        { beats },
        { host, driftRate: options.driftRate, metadata: {} },
        checkMs,
      ),
    traits,
  );
  return openSource(backend, options);
}
