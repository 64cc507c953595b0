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
});
