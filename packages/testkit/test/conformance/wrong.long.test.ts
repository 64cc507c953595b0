import { describe, expect, test } from 'vitest';
import { Inconclusive, TimedOut, Unsafe } from '../../src/conformance/failure.ts';
import { stallMeter } from '../../src/conformance/stall.ts';
import { blockLoop } from '../../src/faults/block-loop.ts';
import { type Check, conformance } from '../../src/index.ts';
import { looseCluster } from './loose-cluster.ts';
import { type Wrong, wrongSources } from './wrong-sources.ts';

/** The patience of a check for an event that never comes. Milliseconds. */
const shortTimeoutMs = 6_000;
/** The patience of a check for an event that comes on any machine. Milliseconds. */
const timeoutMs = 30_000;
/**
 * After a longer stall the allowance of a check may hide the defect, so the attempt is repeated. A
 * check allows for four times its longest stall, and a lease lasts for 500 ms. Milliseconds.
 */
const stallMsMax = 25;
/**
 * Stalls of a busy machine come one after the other, so that several attempts in a row may meet one. A race
 * is run again too, also without a stall.
 */
const attemptsMax = 8;
/** No attempt begins later: all of them have to end before the test's time-out. Milliseconds. */
const againMsMax = 90_000;

/**
 * The failures that a lapsed lease or a slow machine can cause instead of the expected one. Any
 * other failure is a defect of the check.
 */
function mayBeHidden(error: unknown): boolean {
  return error === undefined || error instanceof Inconclusive || error instanceof TimedOut;
}

async function judge(check: Check, { open, says, neverComes, isRace }: Wrong): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    using stall = stallMeter();
    await using cluster = open();
    const error: unknown = await check
      .run({ ...cluster, timeoutMs: neverComes ? shortTimeoutMs : timeoutMs })
      .catch((reason) => reason);
    const reported = error === undefined ? 'nothing' : String(error);
    const mayHide = isRace === true || stall.longestMs > stallMsMax;
    const isHidden = !says.test(reported) && mayHide && mayBeHidden(error);
    const isLast = attempt === attemptsMax || performance.now() - startedAt > againMsMax;
    if (!isHidden || isLast) return expect(reported).toMatch(says);
  }
}

/** A check that stalls the event loop, and then fails with one error after the other. */
function failing(
  ...errors: readonly (Error | undefined)[]
): Check & { readonly runs: () => number } {
  let runs = 0;
  return {
    id: 'failing',
    title: 'It fails.',
    needs: [],
    runs: () => runs,
    async run() {
      blockLoop(2 * stallMsMax);
      await pauseForStallMeter();
      runs += 1;
      const error = errors[runs - 1];
      if (error) throw error;
    },
  };
}

/** The stall meter measures with a timer. */
function pauseForStallMeter(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a wrong cluster on a machine that stalls', () => {
  const wrong: Wrong = { what: 'nothing', says: /as expected/, open: () => looseCluster() };
  const expected = new Error('as expected');

  test.each([
    ['a check that passes', undefined],
    ['a lease that lapses', new Inconclusive('lapsed')],
    ['a time-out', new TimedOut('an event', 1)],
  ])('is tried again after %s', async (_, error) => {
    const check = failing(error, expected);
    await judge(check, wrong);
    expect(check.runs()).toBe(2);
  });

  test.each([
    ['two leaders', new Unsafe('two led')],
    ['another failure', new Error('another')],
    ['an error of the check', new TypeError('is not a function')],
  ])('is not tried again after %s', async (_, error) => {
    const check = failing(error, expected);
    await expect(judge(check, wrong)).rejects.toThrow(error.message);
    expect(check.runs()).toBe(1);
  });

  test('is tried eight times', async () => {
    const check = failing();
    await expect(judge(check, wrong)).rejects.toThrow('nothing');
    expect(check.runs()).toBe(attemptsMax);
  });
});

describe('the conformance suite itself', () => {
  test('has a wrong cluster for every check, and no others', () => {
    expect(Object.keys(wrongSources).sort()).toEqual(
      conformance.map(({ id: promise }) => promise).sort(),
    );
  });

  for (const check of [...conformance].sort(
    (a, b) => Number(a.alone ?? false) - Number(b.alone ?? false),
  )) {
    for (const wrong of [wrongSources[check.id] ?? []].flat())
      (check.alone ? test : test.concurrent)(`${check.id} catches ${wrong.what}`, () =>
        judge(check, wrong),
      );
  }
});
