import { openLeadership } from '@leadership/core';
import { expect, it } from 'vitest';
import { requestedPartitions, statusReport } from '../src/status/status-report.ts';
import { ageText, statusText } from '../src/status/status-text.ts';

it('a status shows each partition, and since when its leader leads', async () => {
  await using source = await openLeadership('memory:status', { member: 'alice', partitions: 2 });
  await expect.poll(() => source.held().size).toBe(2);
  const now = Date.now() + 3_600_000;
  const report = statusReport(source, [], now);
  expect(report.leaders.map(({ leader }) => leader?.member)).toEqual(['alice', 'alice']);
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({ group: 'status', partitions: 2 });
  const text = statusText(report, now);
  expect(text).toContain('group status: 2 of 2 partitions have a leader · healthy');
  expect(text).toMatch(
    /^PARTITION {2}LEADER {2}TOKEN +SINCE\n0 +alice +\d+ {2}\d{4}-.* UTC \(1 h\)$/m,
  );
});

it('a token that is a counter contains no time', async () => {
  await using source = await openLeadership('memory:counter', { partitions: 1 });
  await expect.poll(() => source.held().size).toBe(1);
  // For a clock a year behind, the token lies in the future.
  const past = Date.now() - 365 * 86_400_000;
  expect(statusReport(source, [], past).leaders[0]?.leader?.since).toBeUndefined();
});

it('roles select their partitions', async () => {
  await using source = await openLeadership('memory:roles', { partitions: 8 });
  const { partition } = source.role('invoices');
  expect(requestedPartitions(source, ['invoices', 'invoices'])).toEqual([partition]);
  const report = statusReport(source, ['invoices'], Date.now());
  expect(report.leaders).toMatchObject([{ partition, roles: ['invoices'] }]);
});

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('an age of %i ms is %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
