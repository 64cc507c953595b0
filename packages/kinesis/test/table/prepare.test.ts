import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { LeadershipError } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { defaultKeyNames, keySchema } from '../../src/table/layout.ts';
import { prepare } from '../../src/table/prepare.ts';
import type { Table } from '../../src/table/table.ts';

const attributes = keySchema.map(({ AttributeName }) => ({
  AttributeName,
  AttributeType: 'S' as const,
}));
const right: TableDescription = {
  TableName: 'leases',
  KeySchema: [...keySchema],
  AttributeDefinitions: attributes,
};

/** A table that reports these states one after the other, and then repeats the last. */
function found(
  ...looks: readonly (TableDescription['TableStatus'] | 'missing')[]
): Table & { readonly looks: () => number } {
  return foundAs(right, ...looks);
}

function foundAs(
  description: TableDescription,
  ...looks: readonly (TableDescription['TableStatus'] | 'missing')[]
): Table & { readonly looks: () => number } {
  let seen = 0;
  const unused = (): Promise<never> => Promise.reject(new Error('the test must not call this'));
  return {
    kind: 'table',
    name: 'leases',
    keyNames: defaultKeyNames,
    region: async () => 'eu-west-1',
    items: unused,
    get: unused,
    createAll: unused,
    put: unused,
    remove: unused,
    create: async () => undefined,
    legacyRegions: unused,
    async describe() {
      const look = looks[Math.min(seen, looks.length - 1)];
      seen += 1;
      return look === 'missing' || look === undefined
        ? undefined
        : { ...description, TableStatus: look };
    },
    looks: () => seen,
  };
}

const use = { homeRegion: undefined, renewals: 1, thresholdMs: 3000 };
/**
 * Long enough for three checks on a slow machine, and short enough for only a few checks.
 * Milliseconds.
 */
const [longMs, shortMs] = [60_000, 250];
const prepared = (
  table: Table,
  limitMs: number,
  homeRegion?: string,
  signal: AbortSignal = new AbortController().signal,
) =>
  prepare(table, {
    use: { ...use, homeRegion },
    ifMissing: 'create',
    timeout: { clock: monotonicClock, limitMs, signal },
  });

describe('preparing a table', () => {
  it('waits while the table is being created', async () => {
    await expect(
      prepared(found('missing', 'missing', 'CREATING', 'ACTIVE'), longMs),
    ).resolves.toEqual({ isThere: true, shortcoming: undefined });
  });

  it('creates no table for an observer, which waits for another member', async () => {
    const refusing = { ...found('missing'), create: () => Promise.reject(new Error('created')) };
    const timeout = {
      clock: monotonicClock,
      limitMs: longMs,
      signal: new AbortController().signal,
    };
    await expect(
      prepare(refusing, { use: { ...use }, ifMissing: 'wait', timeout }),
    ).resolves.toEqual({ isThere: false });
  });

  it.each(['CREATING', 'DELETING', 'missing'] as const)(
    'rejects as unreachable if that takes too long: %s',
    async (status) => {
      const table = found('missing', status);
      await expect(prepared(table, shortMs)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('leases" in eu-west-1'),
      });
      expect(table.looks()).toBeLessThan(8);
    },
  );

  it('rejects with the reason of the signal if it aborts while the table is being created', async () => {
    const stop = new AbortController();
    const table = found('CREATING');
    const preparing = prepared(table, longMs, undefined, stop.signal);
    preparing.catch(() => undefined);
    await expect.poll(table.looks).toBeGreaterThan(0);
    stop.abort(new Error('closed by the test'));
    await expect(preparing).rejects.toThrow('closed by the test');
  });

  it.each(['ARCHIVED', 'INACCESSIBLE_ENCRYPTION_CREDENTIALS'] as const)(
    'does not wait for a table that stays %s',
    async (status) => {
      await expect(prepared(found(status), longMs)).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringContaining(status),
      });
    },
  );

  it('receives a request for replicas of version 2017.11.29 where it has their stream, by its plain name, and refused for those', async () => {
    const streaming = {
      ...right,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
    };
    const asked: string[] = [];
    const table = {
      ...foundAs(streaming, 'ACTIVE'),
      name: 'arn:aws:dynamodb:eu-west-1:123456789012:table/leases',
      legacyRegions: async (name: string) => {
        asked.push(name);
        return ['eu-west-1', 'us-east-1'];
      },
    };
    await expect(prepared(table, longMs)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('it is a global table (eu-west-1, us-east-1)'),
    });
    expect(asked).toEqual(['leases']);
    // No request: the answer would change nothing.
    await expect(prepared(table, longMs, 'eu-west-1')).resolves.toMatchObject({ isThere: true });
    expect(asked).toHaveLength(1);
    const denied = new LeadershipError('unauthorized', 'dynamodb:DescribeGlobalTable is denied');
    const closed = { ...table, legacyRegions: () => Promise.reject(denied) };
    await expect(prepared(closed, longMs)).rejects.toBe(denied);
  });
});
