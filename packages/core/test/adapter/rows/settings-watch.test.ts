import { describe, expect, test } from 'vitest';
import { misconfigured } from '../../../src/adapter/rows/error-mapper.ts';
import { type ServerRows, serverRows } from '../../../src/adapter/rows/server-rows.ts';
import type { TableHost } from '../../../src/adapter/rows/table-store.ts';
import { LeadershipError } from '../../../src/contract/leadership-error.ts';
import { manualClock, turn } from '../../support/manual-clock.ts';

describe('the settings of a store', () => {
  test('are checked when it is opened: what weakens a guarantee is a warning, and what breaks one a refusal', async () => {
    const store = opened();
    store.result = 'it may lose data';
    await store.open();
    expect(store.reports()).toEqual(['warning: the store: it may lose data']);
    store.result = misconfigured('it loses data');
    await expect(store.open()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: 'the store: it loses data',
    });
    await store.close();
  });

  test('are checked again about once a minute while it is read, and a trouble ends with its cause', async () => {
    const store = opened();
    await store.open();
    await store.read(29_000);
    expect(store.checks).toBe(1);
    store.result = misconfigured('it loses data');
    await store.read(1_000);
    expect(store.reports()).toEqual(['trouble: the store: it loses data']);
    store.result = 'it may lose data';
    await store.read(30_000);
    expect(store.reports()).toEqual(['warning: the store: it may lose data']);
    store.result = undefined;
    await store.read(30_000);
    expect(store.reports()).toEqual([]);
    expect(store.checks).toBe(4);
    await store.close();
  });

  test('that cannot be read are checked again later, and change no report', async () => {
    const store = opened();
    store.result = 'it may lose data';
    await store.open();
    store.result = new Error('no answer');
    await store.read(30_000);
    expect(store.reports()).toEqual(['warning: the store: it may lose data']);
    store.result = undefined;
    await store.read(30_000);
    expect(store.reports()).toEqual([]);
    await store.close();
  });

  test('are not checked after it was closed, and all reports end', async () => {
    const store = opened();
    store.result = 'it may lose data';
    await store.open();
    await store.close();
    await store.read(60_000);
    expect([store.reports(), store.checks]).toEqual([[], 1]);
  });
});

function opened() {
  const clock = manualClock();
  const reports = new Set<string>();
  const reporting =
    (level: string): TableHost['trouble'] =>
    (_, message) => {
      reports.add(`${level}: ${message}`);
      return { [Symbol.dispose]: () => void reports.delete(`${level}: ${message}`) };
    };
  const host: TableHost = {
    member: 'm',
    incarnation: 'life',
    clock,
    random: () => 0,
    confirmed: () => undefined,
    trouble: reporting('trouble'),
    warning: reporting('warning'),
  };
  const store = {
    result: undefined as string | undefined | Error,
    checks: 0,
    reports: () => [...reports],
    open: async () => rows.open?.({ signal: new AbortController().signal, mayCreate: true }),
    async read(afterMs: number) {
      await clock.pass(afterMs);
      await rows.list({ signal: new AbortController().signal, mayLag: false });
      await turn();
    },
    close: async () => rows.close(),
  };
  const check = async (): Promise<string | undefined> => {
    store.checks += 1;
    if (store.result instanceof Error) throw store.result;
    return store.result;
  };
  const server: ServerRows = {
    name: 'the store',
    open: check,
    inspect: check,
    list: () => Promise.resolve(new Map()),
    replace: () => Promise.resolve({ isDone: false }),
    close: () => undefined,
  };
  const toError = (error: unknown, name: string): LeadershipError =>
    new LeadershipError(
      error instanceof LeadershipError ? error.code : 'unreachable',
      `${name}: ${(error as Error).message}`,
    );
  const rows = serverRows(server, {
    host,
    thresholdMs: 1000,
    notifications: false,
    toError,
  });
  return store;
}
