import { describe, expect, it } from 'vitest';
import { type TermMessage, termLogOf } from '../src/settle/term-log.ts';

const began = (member: string, partition: number, at: number): TermMessage => ({
  kind: 'began',
  member,
  partition,
  atNs: String(at),
});
const ended = (member: string, partition: number, at: number): TermMessage => ({
  kind: 'ended',
  member,
  partition,
  atNs: String(at),
});

describe('the log of a group', () => {
  it('is shared once each partition has one leader, and none leads more than its share', () => {
    const log = termLogOf({ partitions: 3, members: 2 });
    for (const [partition, member] of ['a', 'b'].entries())
      log.take(began(member, partition, partition));
    expect([log.isShared, log.led]).toEqual([false, 2]);
    log.take(began('a', 2, 5));
    expect([log.isShared, log.led, log.needless, log.changedNs]).toEqual([true, 3, 0, 5n]);
  });

  it('is not shared where one member leads more than its share, or two lead one partition', () => {
    const log = termLogOf({ partitions: 2, members: 2 });
    log.take(began('a', 0, 1));
    log.take(began('a', 1, 2));
    expect(log.isShared).toBe(false);
    log.take(began('b', 1, 3));
    expect(log.isShared).toBe(false);
    log.take(ended('a', 1, 4));
    expect([log.isShared, log.needless]).toEqual([true, 1]);
  });

  it('takes news of processes in whatever order they arrive', () => {
    const log = termLogOf({ partitions: 1, members: 1 });
    log.take(began('b', 0, 20));
    log.take(began('a', 0, 10));
    log.take(ended('a', 0, 15));
    expect([log.isShared, log.changedNs]).toEqual([true, 20n]);
  });
});
