// Hosts where `localhost` is ::1, or that have no other address.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstLineOn, hasOwnNetworks } from '@leadership/tools/own-network';
import { describe, expect, it, onTestFinished } from 'vitest';

const directory = fileURLToPath(new URL('..', import.meta.url));

/** So many partitions that votes about them do not fit into a datagram. */
const program = `
  import { openLeadership } from '@leadership/core';
  const voters = [7101, 7102, 7103].map((port) => 'localhost:' + port);
  for (const member of voters) {
    const url = 'gossip://' + voters + '/group?member=' + member;
    const source = await openLeadership(url, { thresholdMs: 2000, partitions: 64 });
    void source.leadEach(() => console.log('leads'));
  }`;

describe.runIf(hasOwnNetworks())('a host where localhost is ::1', () => {
  it.each(['::1', '::1 and 127.0.0.1'] as const)(
    'has leaders of voters of gossip there if it is %s',
    async (localhost) => {
      const args = ['--input-type=module', '--eval', program];
      expect(await firstLineOn(localhost, directory, args)).toBe('leads');
    },
    60_000,
  );

  it('serves the page of watch there if it has no IPv4 address', async () => {
    const rows = await mkdtemp(join(tmpdir(), 'leadership-localhost-'));
    onTestFinished(() => rm(rows, { recursive: true }));
    const args = ['lib/main.js', 'watch', `file:${rows}?group=group`, '--web'];
    expect(await firstLineOn('::1', directory, args)).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
  }, 60_000);
});
