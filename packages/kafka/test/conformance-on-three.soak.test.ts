// In soak, because the regular runs check this client on one broker, and three brokers with the other
// client: see `platformatic/conformance-on-three.process.test.ts`.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { threeBrokers } from './kafka-cluster.ts';

describe.runIf(await hasKafka({ brokers: 3 }))('on three brokers', () =>
  conformanceTests(() => threeBrokers()),
);
