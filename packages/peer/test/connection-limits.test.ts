import type { Clock, Instant } from '@leadership/core/adapter';
import { expect, test } from 'vitest';
import { ConnectionLimits, type InboundSocket } from '../src/connection-limits.ts';
import { networkOf } from '../src/network-of.ts';
import { RateLimit } from '../src/rate-limit.ts';

const at = (ms: number): Instant => ms as Instant;

function server() {
  let now = at(0);
  const sent: string[] = [];
  const clock: Clock = {
    now: () => now,
    wallMicros: () => 0,
    wake: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const socket = (address: string, name = address): InboundSocket => ({
    address,
    end: () => void sent.push(name),
  });
  return {
    limits: new ConnectionLimits(clock, 16),
    sent,
    socket,
    pass: (ms: number) => {
      now = at(now + ms);
    },
  };
}

test('a rate limit allows a burst, and recovers over time', () => {
  const rateLimit = new RateLimit(100, 500, at(0));
  expect(rateLimit.take(50, at(0))).toBe(0);
  expect(rateLimit.take(1, at(0))).toBeCloseTo(10);
  expect(rateLimit.take(1, at(20))).toBe(0);
  expect(rateLimit.take(200, at(20))).toBeCloseTo(2000);
  // A client that has waited owes nothing, and has saved nothing beyond the burst.
  expect(rateLimit.take(0, at(2020))).toBe(0);
  expect(rateLimit.take(51, at(100_000))).toBeCloseTo(10);
});

test('an address may open a limited number of connections per second, and other addresses are unaffected', () => {
  const { limits, socket, pass } = server();
  const admitted = (address: string, count: number): number => {
    let taken = 0;
    for (let times = 0; times < count; times += 1) {
      const one = socket(address);
      if (limits.admit(one)) taken += 1;
      limits.settled(one);
    }
    return taken;
  };
  expect(admitted('1', 200)).toBe(64);
  expect(admitted('2', 10)).toBe(10);
  pass(1000);
  // Refused connections count too: a client that continues to try waits longer.
  expect(admitted('1', 1)).toBe(0);
  pass(60_000);
  expect(admitted('1', 1)).toBe(1);
});

test('if no slot is left, the address with the most connections loses one', () => {
  const { limits, socket, sent } = server();
  for (let index = 0; index < 40; index += 1) limits.admit(socket('crowd', `crowd ${index}`));
  for (let index = 0; index < 30; index += 1)
    expect(limits.admit(socket(`host ${index}`))).toBe(true);
  expect(sent).toEqual(['crowd 0', 'crowd 1', 'crowd 2', 'crowd 3', 'crowd 4', 'crowd 5']);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])(
  '%s counts as %s: a network of addresses gets as many slots as one address',
  (address, counted) => {
    expect(networkOf(address)).toBe(counted);
  },
);
