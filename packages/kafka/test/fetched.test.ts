import { describe, expect, it } from 'vitest';
import { partitionsIn } from '../src/kafkajs/replies.ts';

/** The only record of a reply, stamped by whoever that type says. */
function recordStamped(timestampType: number) {
  const batchContext = { firstOffset: '7', lastOffsetDelta: 2, partitionLeaderEpoch: 3, timestampType };
  const messages = [{ offset: '8', timestamp: '1700000000123', value: null, batchContext }];
  return partitionsIn({ responses: [{ topicName: 't', partitions: [{ partition: 0, highWatermark: '10', messages }] }] })[0]?.records[0];
}

describe('a record of a reply', () => {
  it('I2: is stamped for certain only where the broker did it; what is old goes by either', () => {
    expect(recordStamped(1)).toMatchObject({ stampedMs: 1_700_000_000_123, writtenMs: 1_700_000_000_123, nextOffset: 10n, epoch: 3 });
    expect(recordStamped(0)).toMatchObject({ stampedMs: undefined, writtenMs: 1_700_000_000_123 });
  });
});
