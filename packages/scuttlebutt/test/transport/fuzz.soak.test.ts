// Eleven million hostile datagrams, a million of them over a socket: none of a sender without a key
// is accepted, no call throws, and neither memory nor the state of members grows. `npm run soak` runs it.

import { heldBytes } from '@leadership/testkit/internal';
import { expect, test } from 'vitest';
import { attack } from '../support/attack.ts';
import { forgeries, liesToGroup, limits, slips, type Tally } from '../support/fuzz.ts';

/** Signed contents are slower to make, and lies are fed to machines. */
const counts = {
  forged: 8_000_000,
  sent: 1_000_000,
  signed: 1_800_000,
  lies: 200_000,
} as const;
/** The number of heap measurements. */
const looks = 20;
/** The memory that a datagram may retain on average. The compiler keeps some of it. Bytes. */
const keptBytesMax = 0.5;
/** The memory that all lies together may retain: state of the compiler. Bytes. */
const grownBytesMax = 8_000_000;
/** Each kind of lie gets a group of its own, one after the other. */
const liesPerGroup = 2000;

test.each([
  ['forged', forgeries],
  ['signed', slips],
] as const)('%s datagrams leave nothing behind', async (name, source) => {
  const tally: Tally = {};
  const made = source(20_261_124, tally);
  const points: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    for (let datagram = 0; datagram < counts[name] / looks; datagram += 1) made.next();
    points.push(await heldBytes());
  }
  const [first = 0] = points.slice(1);
  const kept = ((points.at(-1) ?? 0) - first) / (counts[name] * (1 - 2 / looks));
  say(name, tally, `kept ${kept.toFixed(4)} bytes a datagram`);
  expect(Object.values(tally).reduce((all, one) => all + one, 0)).toBe(counts[name]);
  if (name === 'forged') expect(tally['accepted']).toBeUndefined();
  expect(kept).toBeLessThan(keptBytesMax);
});

test('datagrams to the real socket of a leader leave nothing behind', async () => {
  const { dropped, keptBytes, ...rest } = await attack(20_261_125, counts.sent);
  say('sent', dropped, `${JSON.stringify(rest)}, kept ${keptBytes.toFixed(4)} bytes a datagram`);
  expect(rest).toEqual({ received: 0, answers: 0, members: 1, leads: true });
  expect(Object.keys(dropped).sort()).toEqual(['forged', 'malformed', 'wrong-group']);
  const arrived = Object.values(dropped).reduce((all, one) => all + one, 0);
  expect(arrived).toBeGreaterThan(0.9 * counts.sent);
  // A member that leads for minutes has state of its own; a leak would be of 16 bytes or more.
  expect(keptBytes).toBeLessThan(4 * keptBytesMax);
});

test('lies of members do not fill the others, and every group elects again afterwards', async () => {
  const tally: Tally = {};
  const most: Tally = {};
  const before = await heldBytes();
  for (let group = 0; group < counts.lies / liesPerGroup; group += 1) {
    const { stored, elects } = liesToGroup(group + 1, liesPerGroup, tally);
    expect(elects, `seed ${group + 1}`).toBe(true);
    for (const one of stored)
      for (const [what, size] of Object.entries(one)) most[what] = Math.max(most[what] ?? 0, size);
  }
  const grown = (await heldBytes()) - before;
  expect(most['nodes']).toBeLessThanOrEqual(limits.nodesMax + 3);
  expect(most['forgotten']).toBeLessThanOrEqual(4 * limits.nodesMax);
  expect(most['keys']).toBeLessThanOrEqual(limits.keysMax);
  expect(grown).toBeLessThan(grownBytesMax);
  say('lies', tally, `most stored by one member ${JSON.stringify(most)}, heap ${grown} bytes more`);
});

function say(name: string, tally: Tally, rest: string): void {
  process.stdout.write(`${name}: ${JSON.stringify(tally)}, ${rest}\n`);
}
