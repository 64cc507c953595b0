import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { checkTable, shortcoming } from '../src/check-table.ts';
import { defaultKeyNames, keySchema } from '../src/layout.ts';

const right: TableDescription = {
  TableName: 'leases',
  KeySchema: [...keySchema],
  AttributeDefinitions: keySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' })),
};
const use = { keyNames: defaultKeyNames, region: 'eu-west-1', homeRegion: undefined, partitions: 8, thresholdMs: 3000 };
const replicated = { ...right, Replicas: [{ RegionName: 'eu-west-1' }, { RegionName: 'us-east-1' }] };

describe('a table', () => {
  it('is accepted with the right keys, and as a global table that is used in one region', () => {
    checkTable(right, use);
    checkTable(replicated, { ...use, homeRegion: 'eu-west-1' });
    checkTable({ ...right, Replicas: [{ RegionName: 'eu-west-1' }] }, use);
  });

  it.each<[string, Partial<TableDescription>]>([
    ['with another key', { KeySchema: [{ AttributeName: 'leaseKey', KeyType: 'HASH' }] }],
    ['with numeric keys', { AttributeDefinitions: keySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'N' })) }],
    ['without a key', { KeySchema: undefined }],
  ])('%s is rejected with the required key', (_what, wrong) => {
    expect(() => checkTable({ ...right, ...wrong }, use)).toThrow(/group \(HASH, S\), item \(RANGE, S\)/);
  });

  it('that is global is rejected without homeRegion, and in any other region', () => {
    expect(() => checkTable(replicated, use)).toThrow(/homeRegion/);
    expect(() => checkTable(replicated, { ...use, homeRegion: 'us-east-1' })).toThrow(/homeRegion is us-east-1/);
  });

  it('has a shortcoming only if its provisioned capacity is less than the renewals need', () => {
    const provided = (units: number): TableDescription => ({ ...right, ProvisionedThroughput: { WriteCapacityUnits: units } });
    expect(shortcoming(provided(7), use)).toMatch(/7 write units per second, but 8 partitions .* need 8/);
    expect(shortcoming(provided(8), use)).toBeUndefined();
    expect(shortcoming({ ...right, BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' }, ...provided(0) }, use)).toBeUndefined();
    expect(shortcoming(right, use)).toBeUndefined();
  });
});
