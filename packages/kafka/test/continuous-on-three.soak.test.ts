// In soak, because the regular runs check this order of leaders with the other client: see
// `platformatic/continuous.process.test.ts`.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe, vi } from 'vitest';
import { continuousOn } from './kafka-cluster.ts';

// Three brokers and twelve checks at a time starved successors, which then lost their terms.
vi.setConfig({ maxConcurrency: 6 });

const config = { 'group.min.session.timeout.ms': 300 };

describe.runIf(await hasKafka({ brokers: 3, config }))('continuous, on three brokers', () =>
  conformanceTests(() => continuousOn(3)),
);
