import { mkdir, rm, symlink } from 'node:fs/promises';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { filePresence } from '../../src/members/presence.ts';
import { storeAt } from '../../src/store.ts';
import { tempDirectory } from '../support/temp-directory.ts';

it('an unusable presence directory is reported once for reading and once for writing, until it is usable', async () => {
  await using home = await tempDirectory();
  const thresholdMs = 50;
  const host = recordingHost('m');
  const store = storeAt({ directory: home.path, group: 'g', pollMs: 10, thresholdMs }, host);
  await mkdir(store.layout.group, { recursive: true });
  await symlink('presence', store.layout.presence);
  const presence = filePresence(store);
  const over = new AbortController();
  const seen: (readonly string[])[] = [];
  const follow = async (): Promise<void> => {
    for await (const now of presence.present(over.signal)) seen.push(now);
  };
  const running = Promise.all([presence.announce(over.signal), follow()]);
  const until = performance.now() + 10 * thresholdMs;
  await eventually('ten times T have passed', () => performance.now() > until);
  const expected = expect.stringContaining('presence: its symbolic links form a loop');
  expect(host.calls).toEqual([expected, expected]);
  await rm(store.layout.presence);
  await eventually('both problems are cleared', () => host.troubles.size === 0);
  await eventually('the member is seen', () => seen.at(-1)?.includes(host.incarnation));
  over.abort();
  await running;
});
