import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { oneBroker } from '../kafka-cluster.ts';

/**
 * The other checks inject no fault: what they are about lies above the client. They run with KafkaJS
 * here, and with this client on three brokers in the soak.
 */
const checks = conformance.filter(
  (check) => check.needs.length > 0 || corePromises.includes(check),
);

describe.runIf(await hasKafka({ brokers: 1 }))('by @platformatic/kafka, on one broker', () =>
  conformanceTests(() => oneBroker('4.1', 'platformatic'), checks),
);
