import { describe, expect, test } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { misconfigured } from '../../src/rows/error-mapper.ts';
import { type Inspection, type ServerRows, serverRows } from '../../src/rows/server-rows.ts';
import { turn } from '../support/manual-clock.ts';
import { serverHost } from '../support/server-host.ts';

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
  const host = serverHost();
  const { signal } = new AbortController();
  const store = {
    result: undefined as string | undefined | Error,
    checks: 0,
    reports: () => [...host.present],
    open: async () => rows.open?.(signal, true),
    async read(afterMs: number) {
      await host.clock.pass(afterMs);
      await rows.exchange({ changes: [], since: undefined }, signal).catch(() => undefined);
      await turn();
    },
    close: async () => rows.close(),
  };
  const check = async (): Promise<Inspection> => {
    store.checks += 1;
    if (store.result instanceof Error) throw store.result;
    return { weakness: store.result };
  };
  const server: ServerRows = {
    name: 'the store',
    traits: { changesMax: 2 },
    open: check,
    inspect: check,
    exchange: async () => ({ outcomes: [], rows: [], position: 0, isWhole: true }),
    close: () => undefined,
  };
  const toError = (error: unknown, name: string): LeadershipError =>
    new LeadershipError(
      error instanceof LeadershipError ? error.code : 'unreachable',
      `${name}: ${(error as Error).message}`,
    );
  const rows = serverRows(server, { host, thresholdMs: 1000, notifications: false, toError });
  return store;
}
