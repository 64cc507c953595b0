import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKubernetes } from '@leadership/tools/kubernetes';
import { describe } from 'vitest';
import { kubernetesCluster } from './kubernetes-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasKubernetes())('on Kubernetes', () =>
  conformanceTests(() => kubernetesCluster(), others),
);
