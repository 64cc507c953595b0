import { LeadershipError } from '@leadership/core';
import type { Rows } from '@leadership/core/adapter';
import { describe, expect, test } from 'vitest';
import { rowsChecks } from '../../src/index.ts';
import { memoryRows } from './memory-rows.ts';
import { wrongStores } from './wrong-stores.ts';

describe('the contract of rows itself', () => {
  test('has a wrong store for every check, and no others', () => {
    expect(Object.keys(wrongStores).sort()).toEqual(rowsChecks.map(({ id }) => id).sort());
  });

  for (const check of rowsChecks)
    for (const { what, says, flaws } of [wrongStores[check.id] ?? []].flat())
      test.concurrent(`${check.id} catches ${what}`, async () => {
        await expect(check.run(memoryRows(flaws()))).rejects.toThrow(says);
      });

  // As of a server that is starved: a member opens it again.
  test('takes no answer to an opening for a broken promise', async () => {
    const store = memoryRows();
    let openings = 0;
    const openRows = async (group: string): Promise<Rows> =>
      Object.assign(await store.openRows(group), {
        open: async () => {
          openings += 1;
          if (openings === 1) throw new LeadershipError('unreachable', 'no answer');
        },
      });
    await rowsChecks.find(({ id }) => id === 'empty-text')?.run({ ...store, openRows });
    expect(openings).toBeGreaterThan(1);
  });
});
