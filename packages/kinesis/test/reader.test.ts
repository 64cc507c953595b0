import { describe, expect, it } from 'vitest';
import { defaultKeyNames } from '../src/layout.ts';
import { Reader } from '../src/reader.ts';
import { storeOf } from '../src/store.ts';
import type { Table } from '../src/table.ts';
import { fakeHost } from './support/fake-host.ts';

describe('a reader', () => {
  it('gives up for a while where the items that it begins are gone as soon as they are made, and does not ask without end', async () => {
    let asked = 0;
    const unused = (): Promise<never> => Promise.reject(new Error('nobody asks for that'));
    const table: Table = {
      ...{ kind: 'table', name: 'leases', keyNames: defaultKeyNames, region: async () => 'eu-west-1' },
      ...{ remove: unused, describe: unused, create: unused },
      async items() {
        asked += 1;
        return [];
      },
      put: async () => ({ done: true }),
    };
    const store = storeOf({ table, group: 'billing', thresholdMs: 1000, guarantee: 'exclusive' }, fakeHost('a'));
    const reader = new Reader(store, { partitions: 2, thresholdMsMax: 3000, begins: true }, [0, 1]);
    await expect(reader.read(new AbortController().signal)).rejects.toMatchObject({ code: 'unreachable' });
    expect(asked).toBeLessThan(8);
  });
});
