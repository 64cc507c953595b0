// Ten million frames that no member has sent: none is accepted, no call throws, and no memory is
// retained.

import { heldBytes } from '@leadership/testkit/internal';
import { expect, test } from 'vitest';
import { forgeries, newTally, slips } from '../support/fuzz.ts';

const frames = 10_000_000;
/** The number of heap measurements. */
const looks = 20;
/**
 * The memory that a frame may retain on average; the compiler itself may keep a megabyte over ten
 * million. Bytes.
 */
const keptBytesMax = 0.1;

test.each([
  ['forged', forgeries],
  ['slipped', slips],
] as const)('ten million %s frames leave nothing behind', async (name, source) => {
  const tally = newTally();
  const made = source(20_261_121, tally);
  const points: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    for (let frame = 0; frame < frames / looks; frame += 1) made.next();
    points.push(await heldBytes());
  }
  const [first = 0] = points.slice(1);
  const kept = ((points.at(-1) ?? 0) - first) / (frames * (1 - 2 / looks));
  const { rss } = process.memoryUsage();
  process.stdout.write(
    `${name}: ${JSON.stringify(tally)}, kept ${kept.toFixed(4)} bytes a frame, ${Math.round(rss / 1e6)} MB resident\n`,
  );
  expect(Object.values(tally.dropped).reduce((sum, one) => sum + one, tally.accepted)).toBe(frames);
  if (name === 'forged') expect(tally.accepted).toBe(0);
  expect(kept).toBeLessThan(keptBytesMax);
});
