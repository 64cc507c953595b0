// In soak, because the regular runs check both clients on one broker, and in
// `three-brokers.process.test.ts` on three brokers that fail.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe, vi } from 'vitest';
import { threeBrokers } from '../kafka-cluster.ts';

// Three brokers and twelve checks at a time starved successors, which then lost their terms.
vi.setConfig({ maxConcurrency: 6 });

describe.runIf(await hasKafka({ brokers: 3 }))('by @platformatic/kafka, on three brokers', () =>
  conformanceTests(() => threeBrokers('4.1', 'platformatic')),
);
