import { describe, expect, test } from 'vitest';
import { stallMeter } from '../../src/conformance/stall.ts';
import { type Check, conformance } from '../../src/index.ts';
import { type Wrong, wrongs } from './wrongs.ts';

/** Those that are found out by what never comes: it is not waited for as long as a starved machine may take. */
const foundOutByWaiting: ReadonlySet<string> = new Set([
  'roster-agreement',
  'groups-do-not-interact',
  'lead-each-partition',
  'work-that-throws',
  'on-throw-reject',
  'close-from-inside-work',
  'close-with-a-deadline',
  'close-leaves-nothing',
  'hostile-records',
]);
/** Milliseconds. */
const shortPatienceMs = 6_000;
/** What checks allow a machine that stands still longer than this hides some wrongs: then it proves nothing, so often. Milliseconds. */
const stallMsMax = 100;
const attemptsMax = 5;

async function judge(check: Check, { open, says }: Wrong): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    using stall = stallMeter();
    await using cluster = open();
    const patienceMs = foundOutByWaiting.has(check.promise) ? shortPatienceMs : undefined;
    const run = check.run({ ...cluster, ...(patienceMs !== undefined && { patienceMs }) });
    const told = await run.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    if (says.test(told)) return;
    if (attempt === attemptsMax || stall.longestMs <= stallMsMax) expect(told).toMatch(says);
  }
}

describe('the conformance suite itself', () => {
  test('has something wrong for every check to catch, and nothing else', () => {
    expect(Object.keys(wrongs).sort()).toEqual(conformance.map(({ promise }) => promise).sort());
  });

  for (const check of [...conformance].sort((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false))) {
    const wrong = wrongs[check.promise];
    if (wrong === undefined) continue;
    (check.alone ? test : test.concurrent)(`${check.promise} catches ${wrong.what}`, () => judge(check, wrong));
  }
});
