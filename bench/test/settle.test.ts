import { describe, expect, it } from 'vitest';
import { accountOf, type TermNews } from '../src/settle/account.ts';

const began = (member: string, partition: number, at: number): TermNews => ({
  kind: 'began',
  member,
  partition,
  atNs: String(at),
});
const ended = (member: string, partition: number, at: number): TermNews => ({
  kind: 'ended',
  member,
  partition,
  atNs: String(at),
});

describe('the account of a group', () => {
  it('is shared once each partition has one leader, and none leads more than its share', () => {
    const account = accountOf({ partitions: 3, members: 2 });
    for (const [partition, member] of ['a', 'b'].entries())
      account.take(began(member, partition, partition));
    expect([account.isShared, account.led]).toEqual([false, 2]);
    account.take(began('a', 2, 5));
    expect([account.isShared, account.led, account.needless, account.changedNs]).toEqual([
      true,
      3,
      0,
      5n,
    ]);
  });

  it('is not shared where one member leads more than its share, or two lead one partition', () => {
    const account = accountOf({ partitions: 2, members: 2 });
    account.take(began('a', 0, 1));
    account.take(began('a', 1, 2));
    expect(account.isShared).toBe(false);
    account.take(began('b', 1, 3));
    expect(account.isShared).toBe(false);
    account.take(ended('a', 1, 4));
    expect([account.isShared, account.needless]).toEqual([true, 1]);
  });

  it('takes news of processes in whatever order they arrive', () => {
    const account = accountOf({ partitions: 1, members: 1 });
    account.take(began('b', 0, 20));
    account.take(began('a', 0, 10));
    account.take(ended('a', 0, 15));
    expect([account.isShared, account.changedNs]).toEqual([true, 20n]);
  });
});
