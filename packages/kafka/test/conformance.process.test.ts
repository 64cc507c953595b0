import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { oneBroker } from './kafka-cluster.ts';

describe.runIf(await hasKafka({ brokers: 1 }))('on one broker', () =>
  conformanceTests(() => oneBroker()),
);
