import {
  type CreateRecordsBatchOptions,
  createRecordsBatch,
  Reader,
  readRecordsBatches,
} from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { recordsIn } from '../../src/platformatic/log.ts';

const values = ['a', 'b'].map((text) => Buffer.from(text));
const messages = values.map((value, index) => ({
  topic: 't',
  value,
  timestamp: BigInt(1_000 + index),
}));
const options: Partial<CreateRecordsBatchOptions> = { partitionLeaderEpoch: 7 };

/** The batch as a broker keeps it, at offset 40. */
function batch() {
  const [decoded] = readRecordsBatches(Reader.from(createRecordsBatch(messages, options).buffer));
  if (decoded === undefined) throw new Error('no batch was built');
  return { ...decoded, firstOffset: 40n };
}

describe('the records of a batch', () => {
  it("have offsets, the leader epoch, and the writer's time stamp", () => {
    const [a, b] = recordsIn(batch());
    expect(a).toMatchObject({
      offset: 40n,
      nextOffset: 42n,
      epoch: 7,
      writtenMs: 1_000,
      stampedMs: undefined,
      isControl: false,
    });
    expect(b).toMatchObject({
      offset: 41n,
      nextOffset: 42n,
      epoch: 7,
      writtenMs: 1_001,
      stampedMs: undefined,
      isControl: false,
    });
    expect([a?.value, b?.value].map(String)).toEqual(['a', 'b']);
  });

  it("have the broker's time stamp if the topic is configured so", () => {
    const stamped = recordsIn({ ...batch(), attributes: 0b1000, maxTimestamp: 5_000n });
    expect(stamped.map(({ writtenMs, stampedMs }) => [writtenMs, stampedMs])).toEqual([
      [5_000, 5_000],
      [5_000, 5_000],
    ]);
  });

  it('include control records, which are marked as such', () => {
    expect(
      recordsIn({ ...batch(), attributes: 0b110000 }).every(({ isControl }) => isControl),
    ).toBe(true);
  });
});
