import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasNats } from '@leadership/tools/nats';
import { describe } from 'vitest';
import { natsCluster } from './nats-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasNats())('on NATS', () => conformanceTests(() => natsCluster(), others));
