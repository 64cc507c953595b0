import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { oneBroker } from './kafka-cluster.ts';

describe.runIf(await hasKafka({ brokers: 1, version: '3.9' }))('on one broker of the older line', () =>
  conformanceTests(() => oneBroker('3.9')),
);
