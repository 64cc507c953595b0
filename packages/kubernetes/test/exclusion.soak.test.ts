import { hasKubernetes } from '@leadership/tools/kubernetes';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { kubernetesEnvironment } from './support/soak-environment.ts';

/** After `429` a member pauses for a whole second at least, so a shorter T would end with each. */
const settings = { members: 5, partitions: 8, thresholdMs: 2000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

describe.runIf(await hasKubernetes())('on an API server of Kubernetes', () => {
  test('no two members lead at once while processes, the server, etcd, connections and objects fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await kubernetesEnvironment(names);
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
