import type { Instant } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { presenceItem, requestItem } from '../../src/table/layout.ts';
import { ageMs, presenceItems, presentMembers, readerCount } from '../../src/table/liveness.ts';
import type { MemberItem } from '../../src/table/member-items.ts';

const thresholdMs = 1000;

/** An item whose text is of this age. Milliseconds. */
function aged(item: string, age: number): MemberItem {
  return {
    item,
    kind: item.startsWith('member#') ? 'member' : 'lease-request',
    text: '{}',
    since: 5000 as Instant,
    readAt: (5000 + age) as Instant,
  };
}
const member = (name: string, age = 0): MemberItem => aged(presenceItem(name), age);
const request = aged(requestItem(0, 'a'), 0);

describe('a member', () => {
  it('is as old as the time for which its item has read the same', () => {
    expect(ageMs(member('a', 700))).toBe(700);
  });

  it('is present until its item has read the same for two and a half T', () => {
    const items = [member('a', 2499), member('b', 2500), request];
    expect(presenceItems(items)).toEqual(items.slice(0, 2));
    expect(presentMembers(items, thresholdMs)).toEqual(items.slice(0, 1));
  });

  it.each<[string, readonly MemberItem[], number]>([
    ['itself, although it has no item', [], 1],
    ['itself once, if it has an item', [member('a')], 1],
    ['the others and itself', [member('b'), member('c')], 3],
    ['no member with a stale item', [member('a'), member('b', 9000)], 1],
    ['no lease request', [member('a'), request], 1],
  ])('counts as readers: %s', (_what, items, readers) => {
    expect(readerCount(items, 'a', thresholdMs)).toBe(readers);
  });
});
