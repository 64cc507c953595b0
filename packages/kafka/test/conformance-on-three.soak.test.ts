// In soak, because the regular runs check both clients on one broker, and in
// `three-brokers.process.test.ts` on three brokers that fail.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { threeBrokers } from './kafka-cluster.ts';

describe.runIf(await hasKafka({ brokers: 3 }))('on three brokers', () =>
  conformanceTests(() => threeBrokers()),
);
