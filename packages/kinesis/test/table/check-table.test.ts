import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { checkTable, mayBeLegacyReplica, shortcoming } from '../../src/table/check-table.ts';
import { defaultKeyNames, keySchema } from '../../src/table/layout.ts';

const right: TableDescription = {
  TableName: 'leases',
  KeySchema: [...keySchema],
  AttributeDefinitions: keySchema.map(({ AttributeName }) => ({
    AttributeName,
    AttributeType: 'S',
  })),
};
const use = {
  keyNames: defaultKeyNames,
  region: 'eu-west-1',
  homeRegion: undefined,
  renewals: 8,
  thresholdMs: 3000,
};
const replicated = {
  ...right,
  Replicas: [{ RegionName: 'eu-west-1' }, { RegionName: 'us-east-1' }],
};

describe('a table', () => {
  it('is accepted with the right keys, and as a global table that is used in one region', () => {
    checkTable(right, use);
    checkTable(replicated, { ...use, homeRegion: 'eu-west-1' });
    checkTable({ ...right, Replicas: [{ RegionName: 'eu-west-1' }] }, use);
  });

  it.each<[string, Partial<TableDescription>]>([
    ['with another key', { KeySchema: [{ AttributeName: 'leaseKey', KeyType: 'HASH' }] }],
    [
      'with numeric keys',
      {
        AttributeDefinitions: keySchema.map(({ AttributeName }) => ({
          AttributeName,
          AttributeType: 'N',
        })),
      },
    ],
    ['without a key', { KeySchema: undefined }],
  ])('%s is rejected with the required key', (_what, wrong) => {
    expect(() => checkTable({ ...right, ...wrong }, use)).toThrow(
      /group \(HASH, S\), item \(RANGE, S\)/,
    );
  });

  it('that is global is rejected without homeRegion, and in any other region', () => {
    expect(() => checkTable(replicated, use)).toThrow(/homeRegion/);
    expect(() => checkTable(replicated, { ...use, homeRegion: 'us-east-1' })).toThrow(
      /homeRegion is us-east-1/,
    );
  });

  it('is refused if it is a global table of version 2017.11.29, although its own description lists no replicas', () => {
    const legacy = ['eu-west-1', 'us-east-1'];
    expect(() => checkTable(right, use, legacy)).toThrow(
      /global table \(eu-west-1, us-east-1\), each region can elect its own leader/,
    );
    expect(() => checkTable(right, { ...use, homeRegion: 'us-east-1' }, legacy)).toThrow(
      /homeRegion is us-east-1/,
    );
    expect(() => checkTable({ ...right, GlobalTableVersion: '2017.11.29' }, use)).toThrow(
      /global table \(version 2017\.11\.29\)/,
    );
    checkTable(right, { ...use, homeRegion: 'eu-west-1' }, legacy);
    checkTable(right, use, ['eu-west-1']);
    // One that had replicas, and has none any more.
    checkTable({ ...right, GlobalTableVersion: '2019.11.21' }, use);
  });

  it('may be a replica of version 2017.11.29 only if it has a stream of new and old images', () => {
    const streaming = {
      ...right,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
    };
    expect(mayBeLegacyReplica(streaming)).toBe(true);
    expect(mayBeLegacyReplica({ ...streaming, GlobalTableVersion: '2019.11.21' })).toBe(false);
    expect(
      mayBeLegacyReplica({
        ...right,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      }),
    ).toBe(false);
    expect(mayBeLegacyReplica(right)).toBe(false);
  });

  it('needs homeRegion if it is a global table, even with strong consistency across regions', () => {
    const strong = { ...replicated, MultiRegionConsistency: 'STRONG' as const };
    expect(() => checkTable(strong, use)).toThrow(
      /all members must use one region, and this member uses eu-west-1: set homeRegion/,
    );
    checkTable(strong, { ...use, homeRegion: 'eu-west-1' });
  });

  it('has a shortcoming only if its provisioned capacity is less than the renewals need', () => {
    const provided = (units: number): TableDescription => ({
      ...right,
      ProvisionedThroughput: { WriteCapacityUnits: units },
    });
    expect(shortcoming(provided(7), use)).toMatch(
      /7 write units per second, but to renew 8 leases .* takes 8/,
    );
    expect(shortcoming(provided(8), use)).toBeUndefined();
    expect(
      shortcoming(
        { ...right, BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' }, ...provided(0) },
        use,
      ),
    ).toBeUndefined();
    expect(shortcoming(right, use)).toBeUndefined();
  });
});
