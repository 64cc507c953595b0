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
  it('will do with the right keys, and as a global one that only one region uses', () => {
    checkTable(right, use);
    checkTable(replicated, { ...use, homeRegion: 'eu-west-1' });
    checkTable({ ...right, Replicas: [{ RegionName: 'eu-west-1' }] }, use);
  });

  it.each<[string, Partial<TableDescription>]>([
    ['of another key', { KeySchema: [{ AttributeName: 'leaseKey', KeyType: 'HASH' }] }],
    ['of numbers', { AttributeDefinitions: keySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'N' })) }],
    ['of no key', { KeySchema: undefined }],
  ])('%s is refused with the key it should have', (_what, wrong) => {
    expect(() => checkTable({ ...right, ...wrong }, use)).toThrow(/group \(HASH, S\), item \(RANGE, S\)/);
  });

  it('that is global is refused without the region that all use, and outside of it', () => {
    expect(() => checkTable(replicated, use)).toThrow(/homeRegion/);
    expect(() => checkTable(replicated, { ...use, homeRegion: 'us-east-1' })).toThrow(/homeRegion is us-east-1/);
  });

  it('that is provided with less than the renewals take has a shortcoming, and no other has', () => {
    const provided = (units: number): TableDescription => ({ ...right, ProvisionedThroughput: { WriteCapacityUnits: units } });
    expect(shortcoming(provided(7), use)).toMatch(/7 write units a second, and 8 partitions .* take 8/);
    expect(shortcoming(provided(8), use)).toBeUndefined();
    expect(shortcoming({ ...right, BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' }, ...provided(0) }, use)).toBeUndefined();
    expect(shortcoming(right, use)).toBeUndefined();
  });
});
