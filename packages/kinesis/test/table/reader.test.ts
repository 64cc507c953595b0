import { describe, expect, it } from 'vitest';
import { defaultKeyNames, type Item, keys, textIn } from '../../src/table/layout.ts';
import { Reader } from '../../src/table/reader.ts';
import { storeOf } from '../../src/table/store.ts';
import type { Table } from '../../src/table/table.ts';
import { fakeHost } from '../support/fake-host.ts';

describe('a reader', () => {
  it('gives up after some rounds if the items that it creates are deleted at once', async () => {
    let asked = 0;
    const unused = (): Promise<never> => Promise.reject(new Error('the test must not call this'));
    const table: Table = {
      ...{ kind: 'table', name: 'leases', keyNames: defaultKeyNames, region: async () => 'eu-west-1' },
      ...{ remove: unused, describe: unused, create: unused, legacyRegions: unused },
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

  it('creates a bounded number of registers at a time, and each once', async () => {
    const partitions = Array.from({ length: 100 }, (_, partition) => partition);
    const items = new Map<string, Item>();
    let [inFlight, mostInFlight, puts] = [0, 0, 0];
    const unused = (): Promise<never> => Promise.reject(new Error('the test must not call this'));
    const table: Table = {
      ...{ kind: 'table', name: 'leases', keyNames: defaultKeyNames, region: async () => 'eu-west-1' },
      ...{ remove: unused, describe: unused, create: unused, legacyRegions: unused },
      items: async () => [...items.values()],
      async put(item) {
        puts += 1;
        inFlight += 1;
        mostInFlight = Math.max(mostInFlight, inFlight);
        await new Promise(setImmediate);
        inFlight -= 1;
        items.set(textIn(item, keys.item) ?? '', item);
        return { done: true };
      },
    };
    const store = storeOf({ table, group: 'billing', thresholdMs: 1000, guarantee: 'exclusive' }, fakeHost('a'));
    const reader = new Reader(store, { partitions: 100, thresholdMsMax: 3000, begins: true }, partitions);
    await reader.read(new AbortController().signal);
    expect(puts).toBe(partitions.length);
    expect(mostInFlight).toBeGreaterThan(1);
    expect(mostInFlight).toBeLessThanOrEqual(16);
  });
});
