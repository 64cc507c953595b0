import { describe, expect, it } from 'vitest';
import { partitionsIn } from '../../src/kafkajs/replies.ts';

/** Returns the only record of a reply, with that type of time stamp. */
function recordStamped(timestampType: number) {
  const batchContext = {
    firstOffset: '7',
    lastOffsetDelta: 2,
    partitionLeaderEpoch: 3,
    timestampType,
  };
  const messages = [{ offset: '8', timestamp: '1700000000123', value: null, batchContext }];
  return partitionsIn({
    responses: [{ topicName: 't', partitions: [{ partition: 0, highWatermark: '10', messages }] }],
  })[0]?.records[0];
}

describe('a record of a reply', () => {
  it('I2: has a certain stamp only if the broker set it; its age counts by either stamp', () => {
    expect(recordStamped(1)).toMatchObject({
      stampedMs: 1_700_000_000_123,
      writtenMs: 1_700_000_000_123,
      nextOffset: 10n,
      epoch: 3,
    });
    expect(recordStamped(0)).toMatchObject({ stampedMs: undefined, writtenMs: 1_700_000_000_123 });
  });
});
