/**
 * The conformance suite as vitest tests, and fake time for unit tests. The test file of an adapter
 * only calls {@link conformanceTests} with a cluster.
 *
 * @packageDocumentation
 */
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Check } from './conformance/check.ts';
import type { Cluster } from './conformance/cluster.ts';
import { conformance } from './conformance/conformance.ts';
import { guaranteesOf, reasonToSkip } from './conformance/select.ts';

export { passFor, passUntil } from './vitest-time.ts';

/**
 * Defines one test per check. Checks that cannot run on the cluster are skipped with a reason.
 * @param checks - the checks to run; default: all
 */
export function conformanceTests(
  openCluster: () => Cluster | Promise<Cluster>,
  checks: readonly Check[] = conformance,
): void {
  describe('conformance', () => {
    let cluster: Cluster;
    let reasons: ReadonlyMap<string, string | undefined>;
    beforeAll(async () => {
      cluster = await openCluster();
      const guarantees = await guaranteesOf(cluster);
      reasons = new Map(
        checks.map((check) => [check.id, reasonToSkip(check, cluster, guarantees)]),
      );
    });
    afterAll(() => cluster[Symbol.asyncDispose]());
    for (const check of [...checks].sort(
      (a, b) => Number(a.alone ?? false) - Number(b.alone ?? false),
    )) {
      const define = check.alone ? test : test.concurrent;
      define(`${check.id}: ${check.title}`, async ({ skip, task }) => {
        const reason = reasons.get(check.id);
        // Reporters receive `meta`, but not the note of a skip.
        if (reason !== undefined) Object.assign(task.meta, { skipReason: reason });
        if (reason !== undefined) skip(reason);
        await check.run(cluster);
      });
    }
  });
}
