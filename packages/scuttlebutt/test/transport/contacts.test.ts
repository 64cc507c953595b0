import type { Instant } from '@leadership/core/adapter';
import { describe, expect, test } from 'vitest';
import { Contacts } from '../../src/transport/contacts.ts';

const at = (ms: number): Instant => ms as Instant;
const none = Buffer.alloc(8);
const theirs = Buffer.alloc(8, 7);

/** Contacts, of which one has proved its address at 0. */
function proved(): Contacts {
  const contacts = new Contacts(Buffer.from('secret'));
  const { cookie } = contacts.cookiesFor('a', at(0));
  expect(contacts.received('a', 100, { cookie: theirs, echo: cookie }, at(0))).toBe(true);
  return contacts;
}

describe('the contacts of a member', () => {
  test('are proved for a while by a datagram that returns the cookie', () => {
    const contacts = proved();
    expect(contacts.isProved('a', at(299_999))).toBe(true);
    expect(contacts.isProved('a', at(300_000))).toBe(false);
    expect(contacts.isProved('b', at(0))).toBe(false);
  });

  test('do not count as fresh by a cookie that is old, of another name or of another process', () => {
    const contacts = proved();
    const { cookie: echo } = contacts.cookiesFor('a', at(0));
    const received = (name: string, now: number, of = contacts): boolean | undefined =>
      of.received(name, 100, { cookie: theirs, echo }, at(now));
    expect(received('a', 599_999)).toBe(true);
    expect(received('a', 600_000)).toBe(false);
    expect(received('b', 0)).toBe(false);
    expect(received('a', 0, new Contacts(Buffer.from('another life')))).toBe(false);
  });

  test('keep the cookie of a fresh datagram, whatever recorded ones contain', () => {
    const contacts = proved();
    contacts.received('a', 100, { cookie: Buffer.alloc(8, 1), echo: none }, at(1));
    expect(contacts.cookiesFor('a', at(1)).echo).toEqual(theirs);
    // Once the proof has ended, the member may have restarted.
    contacts.received('a', 100, { cookie: Buffer.alloc(8, 1), echo: none }, at(400_000));
    expect(contacts.cookiesFor('a', at(400_000)).echo).toEqual(Buffer.alloc(8, 1));
  });

  test('may be sent what arrived in their name, and no more', () => {
    const contacts = new Contacts(Buffer.from('secret'));
    expect(contacts.spend('a', 1)).toBe(false);
    contacts.received('a', 100, { cookie: theirs, echo: none }, at(0));
    expect([60, 50, 40, 1].map((bytes) => contacts.spend('a', bytes))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    for (let index = 0; index < 200; index += 1)
      contacts.received('a', 10_000, { cookie: theirs, echo: none }, at(0));
    expect(contacts.spend('a', 65_537), 'a credit cannot be saved up without end').toBe(false);
    expect(contacts.spend('a', 65_536)).toBe(true);
  });

  test('may send at a bounded rate; a flood of recorded datagrams does not keep fresh ones out', () => {
    const contacts = proved();
    const { cookie: echo } = contacts.cookiesFor('a', at(0));
    const stale = { cookie: theirs, echo: none };
    const taken = (count: number, now: number): number =>
      Array.from({ length: count }, () => contacts.received('a', 10, stale, at(now))).filter(
        (isFresh) => isFresh !== undefined,
      ).length;
    expect(taken(100_000, 0)).toBe(200);
    expect(contacts.received('a', 10, { cookie: theirs, echo }, at(0))).toBe(true);
    // A flood leaves no debt behind.
    expect(taken(1000, 1000)).toBe(200);
  });

  test('receive requests and unprompted datagrams at a bounded rate', () => {
    const contacts = new Contacts(Buffer.from('secret'));
    const count = (may: () => boolean): number =>
      Array.from({ length: 1000 }, may).filter(Boolean).length;
    expect(count(() => contacts.mayAsk('a', 100, at(0)))).toBe(1);
    expect(count(() => contacts.mayAsk('a', 100, at(1000)))).toBe(1);
    expect(count(() => contacts.mayBegin('a', at(1000)))).toBe(50);
    expect(count(() => contacts.mayBegin('a', at(2000)))).toBe(50);
  });

  test('are limited in number, and a flood of names does not displace a proved one', () => {
    const contacts = proved();
    for (let index = 0; index < 10_000; index += 1)
      contacts.received(`name-${index}`, 100, { cookie: theirs, echo: none }, at(0));
    expect(contacts.size).toBe(4097);
    expect(contacts.isProved('a', at(1))).toBe(true);
  });
});
