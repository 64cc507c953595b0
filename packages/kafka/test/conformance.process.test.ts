import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { oneBroker } from './kafka-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasKafka({ brokers: 1 }))('on one broker', () =>
  conformanceTests(() => oneBroker(), others),
);
