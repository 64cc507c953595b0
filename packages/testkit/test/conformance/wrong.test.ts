import { describe, expect, test } from 'vitest';
import { stallMeter } from '../../src/conformance/stall.ts';
import { type Check, conformance } from '../../src/index.ts';
import { type Wrong, wrongs } from './wrongs.ts';

/** For what never comes. Milliseconds. */
const shortPatienceMs = 6_000;
/** For what comes on any machine. Milliseconds. */
const patienceMs = 30_000;
/** What checks allow a machine that stands still longer than this hides some wrongs: then it proves nothing, so often. Milliseconds. */
const stallMsMax = 100;
/** All of them are to be over before the test's time-out, however patient. */
const attemptsMax = 3;

async function judge(check: Check, { open, says, neverComes }: Wrong): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    using stall = stallMeter();
    await using cluster = open();
    const told = await check.run({ ...cluster, patienceMs: neverComes ? shortPatienceMs : patienceMs }).then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    // A lease that lapsed meanwhile says something else, or nothing.
    const isHidden = !says.test(told) && stall.longestMs > stallMsMax;
    if (!isHidden || attempt === attemptsMax) return expect(told).toMatch(says);
  }
}

describe('the conformance suite itself', () => {
  test('has something wrong for every check to catch, and nothing else', () => {
    expect(Object.keys(wrongs).sort()).toEqual(conformance.map(({ promise }) => promise).sort());
  });

  for (const check of [...conformance].sort((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false))) {
    for (const wrong of [wrongs[check.promise] ?? []].flat())
      (check.alone ? test : test.concurrent)(`${check.promise} catches ${wrong.what}`, () => judge(check, wrong));
  }
});
