import { type Check, conformance, type Fault } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { oneBroker } from '../kafka-cluster.ts';

/** The faults that a client must survive, and the requests that it sends. */
const ofClients: readonly Fault[] = [
  'cut',
  'delete-state',
  'hung-reads',
  'late-writes',
  'lost-replies',
  'reads-cut',
  'request-count',
  'writes-cut',
];
/** Sockets and timers after a member has closed. */
const afterClose: readonly string[] = [
  'close-at-every-moment',
  'close-leaves-nothing',
  'close-lets-the-process-end',
];

/**
 * The other checks are about code above the client. They run with KafkaJS here, and with this
 * client on three brokers in the soak.
 */
const isAboutClients = ({ id, needs }: Check): boolean =>
  needs.some((need) => ofClients.includes(need)) || afterClose.includes(id);

describe.runIf(await hasKafka({ brokers: 1 }))('by @platformatic/kafka, on one broker', () =>
  conformanceTests(() => oneBroker('4.1', 'platformatic'), conformance.filter(isAboutClients)),
);
