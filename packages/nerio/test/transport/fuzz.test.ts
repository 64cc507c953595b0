import { expect, test } from 'vitest';
import { forgeries, newTally, slips } from '../support/fuzz.ts';

/** The number of frames here; the soak test has ten million. */
const frames = 40_000;

test.each([1, 2])('with a key, no fuzzed frame is accepted (%#)', (seed) => {
  const tally = newTally();
  const source = forgeries(seed, tally);
  for (let frame = 0; frame < frames; frame += 1) source.next();
  expect(tally.accepted).toBe(0);
  const {
    forged = 0,
    malformed = 0,
    'wrong-version': version = 0,
    'wrong-group': group = 0,
  } = tally.dropped;
  expect(forged + malformed + version + group + (tally.dropped.misdirected ?? 0)).toBe(frames);
  expect(Math.min(forged, malformed, version, group)).toBeGreaterThan(frames / 100);
});

test.each([1, 2])(
  'without a key, the reader accepts only fuzzed messages that a writer can produce (%#)',
  (seed) => {
    const tally = newTally();
    const source = slips(seed, tally);
    for (let frame = 0; frame < frames; frame += 1) source.next();
    const { malformed = 0 } = tally.dropped;
    expect(malformed + tally.accepted).toBe(frames);
    // A changed number is a valid number: without a key no receiver can detect the change.
    expect(malformed).toBeGreaterThan(frames / 2);
  },
);
