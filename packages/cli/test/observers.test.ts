import { join } from 'node:path';
import type { GuardHello } from '@leadership/core/internal/guard';
import { eventually } from '@leadership/testkit/adapter';
import { temporaryDirectory } from '@leadership/testkit/internal';
import { afterEach, expect, it, vi } from 'vitest';
import { Observers } from '../src/guard/observers.ts';

const idleMs = 50;

afterEach(() => vi.unstubAllEnvs());

function hello(member: string): GuardHello {
  return { member, incarnation: member, group: 'g', address: `${member}.sock` };
}

it('a group that a guard could not open at first is observed for as long as a later member is there', async () => {
  await using directory = await temporaryDirectory();
  const urlOf = (group: string) =>
    `file:${join(directory.path, group)}?group=${group}&partitions=1`;
  const observers = new Observers(idleMs);
  const [early, late, last] = [hello('early'), hello('late'), hello('last')];
  const isObserved = async (url: string): Promise<boolean> =>
    await observers.died(url, 'none', 'none').then(
      () => true,
      () => false,
    );
  try {
    vi.stubEnv('LEADERSHIP_OPTIONS', 'nonsense');
    await expect(observers.add(urlOf('main'), early)).rejects.toThrow('LEADERSHIP_OPTIONS');
    vi.unstubAllEnvs();
    await observers.add(urlOf('main'), late);
    observers.remove(urlOf('main'), early);
    // The second group closes after the time that would have closed the first.
    await observers.add(urlOf('other'), last);
    observers.remove(urlOf('other'), last);
    await eventually(
      'the group without members closes',
      async () => !(await isObserved(urlOf('other'))),
    );
    expect(await isObserved(urlOf('main'))).toBe(true);

    observers.remove(urlOf('main'), late);
    await eventually('the group closes', async () => !(await isObserved(urlOf('main'))));
  } finally {
    await observers.close();
  }
});
