// The regular runs check each client once and each ground once: KafkaJS on one broker, whose topics
// can be deleted, and this client on three, which share a replicated topic. The other two
// combinations differ from these in nothing that one of them does not cover, and take minutes:
// they are soak tests.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe, vi } from 'vitest';
import { threeBrokers } from '../kafka-cluster.ts';

// Three brokers and twelve checks at a time starved successors, which then lost their terms.
vi.setConfig({ maxConcurrency: 6 });

describe.runIf(await hasKafka({ brokers: 3 }))('by @platformatic/kafka, on three brokers', () =>
  conformanceTests(() => threeBrokers('4.1', 'platformatic')),
);
