/**
 * The conformance suite as vitest tests, and fake time for unit tests. The test file of an adapter
 * only calls {@link conformanceTests} with a cluster.
 *
 * @packageDocumentation
 */
import type { Check } from './conformance/check.ts';
import type { Cluster } from './conformance/cluster.ts';
import { conformance } from './conformance/conformance.ts';
import { guaranteesOf, reasonToSkip } from './conformance/select.ts';
import { suiteTests } from './vitest-suite.ts';

export { passFor, passUntil } from './vitest-time.ts';

/**
 * Defines one test per check. Checks that cannot run on the cluster are skipped with a reason.
 * @param checks - the checks to run; default: all
 */
export function conformanceTests(
  openCluster: () => Cluster | Promise<Cluster>,
  checks: readonly Check[] = conformance,
): void {
  suiteTests({
    title: 'conformance',
    open: openCluster,
    checks,
    skips: async (cluster) => {
      const guarantees = await guaranteesOf(cluster);
      return (check) => reasonToSkip(check, cluster, guarantees);
    },
  });
}
