import { passFor, passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NerioSource, nerioLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

// A blocked process must not look like a machine that slept, so the test controls the boot time
// too.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a voter reports whether it grants leases: not before its silence is over, nor before it has learnt (N4, N16)', async () => {
  const network = memoryNetwork();
  const members = ['a', 'b', 'c'];
  const open = (member: string): NerioSource =>
    nerioLeadership({
      group: 'g',
      members,
      member,
      thresholdMs: 300,
      partitions: 1,
      transport: network.open,
    });
  const granting = (source: NerioSource): number | undefined =>
    source.health().measured['granting'];
  const [a, b] = ['a', 'b'].map(open);
  if (a === undefined || b === undefined) throw new Error('two were opened');
  expect(granting(a)).toBe(0);
  await passFor(() => expect([a, b].map(granting)).toEqual([1, 1]));
  await passUntil(b.close());
  // One of three members with memory is not enough to learn from; two without it need no warning.
  const c = open('c');
  await vi.advanceTimersByTimeAsync(3000);
  expect(granting(c)).toBe(0);
  // Never silent: the health report names the missing members.
  const waiting = {
    code: 'no-quorum',
    message: expect.stringMatching(
      /^this voter grants no lease.* waits for b, which cannot be reached$/,
    ),
  };
  expect(c.health().troubles).toContainEqual(expect.objectContaining(waiting));
  const again = open('b');
  await passFor(() => expect([a, again, c].map(granting)).toEqual([1, 1, 1]));
  expect([a, again, c].flatMap((source) => source.health().troubles)).toEqual([]);
  await Promise.all([a, again, c].map((source) => passUntil(source.close())));
});
