import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { FencedStore } from '../src/fenced-store.ts';
import { writeAsLeader } from '../src/fenced-write.ts';
import { scratchDirectory } from './scratch-directory.ts';

it('writes only as the leader', async () => {
  await using directory = await scratchDirectory();
  const store = new FencedStore(directory.path);
  const group = memoryGroup(crypto.randomUUID());
  await using a = group.join({ member: 'a' });
  await using b = group.join({ member: 'b' });
  const { partition } = a.role('report');
  await group.elect('a', partition);
  expect(await writeAsLeader(a.role('report'), store, 'by a')).toBe(true);
  expect(await writeAsLeader(b.role('report'), store, 'by b')).toBe(false);
  expect(await store.read()).toBe('by a');
});

it('rejects the write of a member that was paused past the end of its term (T2)', async () => {
  await using directory = await scratchDirectory();
  const store = new FencedStore(directory.path);
  const group = memoryGroup(crypto.randomUUID());
  await using a = group.join({ member: 'a' });
  await using b = group.join({ member: 'b' });
  const { partition } = a.role('report');
  await group.elect('a', partition);
  const zombie = a.role('report').term()?.token ?? 0n;
  group.fence('a', partition);
  await group.elect('b', partition);
  await writeAsLeader(b.role('report'), store, 'by b');
  await expect(store.write('by a, too late', zombie)).rejects.toThrow(
    'rejected: a token greater than',
  );
  expect(await store.read()).toBe('by b');
});
