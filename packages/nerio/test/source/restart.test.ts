// A restart of a voter that stores its grants, while another voter is away.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { test } from 'vitest';
import { type NerioSource, nerioLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

test('a voter that reports that it grants does so after a restart, even if it has never granted and another voter is away (N4, N16)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const network = memoryNetwork();
  const members = ['a', 'b', 'c'];
  // No member campaigns, so that no grant is ever written.
  const open = (member: string, campaign = false): NerioSource =>
    nerioLeadership({
      group: 'g',
      members,
      member,
      thresholdMs: 300,
      partitions: 1,
      campaign,
      stateDirectory: join(folder, member),
      transport: network.open,
    });
  const isGranting = (source: NerioSource): boolean => source.health().measured['granting'] === 1;
  const [a, b, c] = [open('a'), open('b'), open('c')];
  await eventually('all grant', () => [a, b, c].every(isGranting));
  await c.close();
  await b.close();
  const again = open('b', true);
  await eventually('b grants', () => isGranting(again));
  await eventually('b leads', () => again.role(0).isLeading());
  await eventually('a knows its leader', () => a.role(0).leader()?.member === 'b');
  await Promise.all([a.close(), again.close()]);
  await rm(folder, { recursive: true, force: true });
});
