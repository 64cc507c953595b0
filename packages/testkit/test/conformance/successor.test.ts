import type { LeadershipSource, Role, Term } from '@leadership/core';
import { expect, test } from 'vitest';
import { openContext } from '../../src/conformance/check-context.ts';
import { continuousHandover } from '../../src/conformance/checks/continuity.ts';
import { Inconclusive } from '../../src/conformance/failure.ts';
import { successorOf } from '../../src/conformance/successor.ts';
import { brokerCluster } from '../support/broker-cluster.ts';
import { memoryCluster } from '../support/memory-cluster.ts';
import { overriding } from './overriding.ts';

/** Much less than the time limit of a real check, and enough for a fail-over on a starved machine. */
const timeoutMs = 15_000;

test.each([4n, 6n])(
  'a leader that resigned and leads again with the token %s instead of 5 is not a successor',
  async (token) => {
    await using context = openContext({ ...memoryCluster(), timeoutMs: 300 }, 'example');
    const role = { term: () => ({ token }) as Partial<Term> } as Role;
    const source = context.open('a', { campaign: false });
    const others = [context.open('b', { campaign: false })];
    const leader = { source, role, token: 5n, others };
    await expect(successorOf(context, leader)).rejects.toThrow(Inconclusive);
  },
);

test('continuous-handover counts a member that came back during the check as a possible next leader', async () => {
  const cluster = brokerCluster();
  const opened: LeadershipSource[] = [];
  const check = continuousHandover.run(
    overriding(cluster, {
      timeoutMs,
      // All members close together with the leader, so that only the one that comes back can lead.
      open(options) {
        const source = cluster.open(options);
        opened.push(source);
        return overriding(source, {
          async close(how) {
            await Promise.all(opened.splice(0).map((one) => one.close(how)));
            await source.close(how);
          },
        });
      },
    }),
  );
  await expect(check).rejects.toThrow(Inconclusive);
  await expect(check).rejects.toThrow(/no member led for/);
}, 60_000);
