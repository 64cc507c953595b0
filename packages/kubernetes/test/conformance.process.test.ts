import { conformanceTests } from '@leadership/testkit/vitest';
import { hasKubernetes } from '@leadership/tools/kubernetes';
import { describe } from 'vitest';
import { kubernetesCluster } from './kubernetes-cluster.ts';

describe.runIf(await hasKubernetes())('on Kubernetes', () =>
  conformanceTests(() => kubernetesCluster()),
);
