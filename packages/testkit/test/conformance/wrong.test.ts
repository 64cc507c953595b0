import { describe, expect, test } from 'vitest';
import { stallMeter } from '../../src/conformance/stall.ts';
import { type Check, conformance } from '../../src/index.ts';
import { type Wrong, wrongs } from './wrongs.ts';

/** The patience of a check for an event that never comes. Milliseconds. */
const shortPatienceMs = 6_000;
/** The patience of a check for an event that comes on any machine. Milliseconds. */
const patienceMs = 30_000;
/** After a longer stall the allowance of a check may hide the defect, so the attempt is repeated. Milliseconds. */
const stallMsMax = 100;
/** All attempts have to end before the test's time-out. */
const attemptsMax = 3;

async function judge(check: Check, { open, says, neverComes }: Wrong): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    using stall = stallMeter();
    await using cluster = open();
    const told = await check.run({ ...cluster, patienceMs: neverComes ? shortPatienceMs : patienceMs }).then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    // A lease that lapsed meanwhile leads to another message, or to none.
    const isHidden = !says.test(told) && stall.longestMs > stallMsMax;
    if (!isHidden || attempt === attemptsMax) return expect(told).toMatch(says);
  }
}

describe('the conformance suite itself', () => {
  test('has a wrong cluster for every check, and no others', () => {
    expect(Object.keys(wrongs).sort()).toEqual(conformance.map(({ id: promise }) => promise).sort());
  });

  for (const check of [...conformance].sort((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false))) {
    for (const wrong of [wrongs[check.id] ?? []].flat())
      (check.alone ? test : test.concurrent)(`${check.id} catches ${wrong.what}`, () => judge(check, wrong));
  }
});
