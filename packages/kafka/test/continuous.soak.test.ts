import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { continuousOn } from './kafka-cluster.ts';

const config = { 'group.min.session.timeout.ms': 300 };

describe.runIf(await hasKafka({ brokers: 1, config }))('continuous, on one broker', () =>
  conformanceTests(() => continuousOn(1)),
);
