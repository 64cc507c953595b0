import { openLeadership } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import { expect, it } from 'vitest';
import { findingsText } from '../src/doctor/finding.ts';
import { requestedPartitions, statusReport } from '../src/status/status-report.ts';
import { ageText, statusText } from '../src/status/status-text.ts';
import { jsonText, printableLines, widthOf } from '../src/terminal-text.ts';
import { LiveView } from '../src/watch/live-view.ts';

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
  expect(text).toMatch(
    /^MEMBER {2}LEADS {2}HEALTH {2}SINCE\nalice {3}0, 1 {3}ok {6}\d{4}-.* UTC \(1 h\)$/m,
  );
});

it('a token that is a counter contains no time', async () => {
  await using source = await openLeadership('memory:counter', { partitions: 1 });
  await expect.poll(() => source.held().size).toBe(1);
  // For a clock a year behind, the token lies in the future.
  const past = Date.now() - 365 * 86_400_000;
  expect(statusReport(source, [], past).leaders[0]?.leader?.since).toBeUndefined();
});

it('a status names the roles that members have asked for, and shows which share a partition', async () => {
  const group = memoryGroup(crypto.randomUUID());
  await using source = group.join({ member: 'alice', partitions: 1, log: false });
  await using observer = group.join({
    member: 'o',
    campaign: false,
    partitions: 1,
    log: false,
  });
  for (const role of ['mail', 'invoice-run']) source.role(role);
  await expect.poll(() => observer.members()[0]?.roles['mail'], { timeout: 60_000 }).toBe(0);
  await expect.poll(() => observer.roster().size, { timeout: 60_000 }).toBe(1);
  const now = Date.now();
  const report = statusReport(observer, ['bills'], now);
  expect(
    report.members.map(({ member }) => member),
    'not the observer',
  ).toEqual(['alice']);
  expect(report.leaders[0]?.roles).toEqual(['bills', 'invoice-run', 'mail']);
  expect(statusText(report, now)).toMatch(
    /^PARTITION {2}ROLE +LEADER .*\n0 {10}bills, invoice-run, mail {2}alice /m,
  );
});

it('roles select their partitions', async () => {
  await using source = await openLeadership('memory:roles', { partitions: 8 });
  const { partition } = source.role('invoices');
  expect(requestedPartitions(source, ['invoices', 'invoices'])).toEqual([partition]);
  const report = statusReport(source, ['invoices'], Date.now());
  expect(report.leaders).toMatchObject([{ partition, roles: ['invoices'] }]);
});

/** Text that would clear the screen, write from right to left, and end the line. */
const evil = '\u001b[2J\u009b2J\u202e\nalice';
const shown = String.raw`\u{1b}[2J\u{9b}2J\u{202e}\u{a}alice`;

it('no name or message of a member controls the terminal', async () => {
  const group = `evil${evil}`;
  await using source = memoryGroup(group).join({ member: evil, partitions: 1, log: false });
  await expect.poll(() => source.held().size).toBe(1);
  const before = statusReport(source, [], Date.now());
  expect(statusText(before, Date.now())).toContain(`\n0          ${shown}  `);
  expect(JSON.parse(jsonText(before))).toMatchObject({
    group,
    leaders: [{ leader: { member: evil } }],
  });
  const stop = new AbortController();
  const leading = source
    .role('report')
    .lead(() => Promise.reject(new Error(evil)), { signal: stop.signal });
  await expect.poll(() => source.health().troubles.length).toBe(1);
  const now = Date.now();
  const report = statusReport(source, [], now);
  const view = new LiveView(source, []);
  const [trouble] = source.health().troubles;
  const event = { at: now, kind: 'trouble', member: evil, ...trouble } as const;
  view.add(event);
  view.add({ at: now, kind: 'leader', member: evil, partition: 0, leader: evil });
  stop.abort();
  await leading;
  const text = statusText(report, now);
  expect(text).toContain(`group evil${shown}: `);
  expect(text.split('\n').length, 'lines').toBe(9);
  const texts = [
    ...[
      text,
      view.render(now, { columns: 300, rows: 100 }),
      jsonText(before),
      jsonText(event),
      printableLines(evil),
    ],
    findingsText([{ check: 'health', result: 'fail', message: evil }]),
  ];
  for (const one of texts) {
    expect(one.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(one).toContain('alice');
  }
});

it('a wide name keeps the columns aligned', async () => {
  const group = memoryGroup(crypto.randomUUID());
  await using wide = group.join({ member: '東京サーバー👍', partitions: 2, log: false });
  await using plain = group.join({ member: 'e\u0301-abcdefghijklm', partitions: 2, log: false });
  await group.elect(wide.member, 0);
  await group.elect(plain.member, 1);
  await expect.poll(() => wide.roster().get(1)?.member).toBe(plain.member);
  const now = Date.now();
  const report = statusText(statusReport(wide, [], now), now);
  const rows = report.split('\n').filter((line) => /^[01] /.test(line));
  const before = rows.map((row) => row.slice(0, row.search(/\d{6}/)));
  expect(before).toEqual(['0          東京サーバー👍   ', '1          e\u0301-abcdefghijklm  ']);
  expect(before.map(widthOf)).toEqual([28, 28]);
  const frame = new LiveView(wide, []).render(now, { columns: 20, rows: 100 }).split('\n');
  expect(frame).toContain('0          東京サー');
  expect(Math.max(...frame.map(widthOf))).toBeLessThanOrEqual(20);
});

it('a view is no longer than the terminal, and shows its beginning and the troubles', async () => {
  await using source = await openLeadership('memory:long', { partitions: 64, log: false });
  await expect.poll(() => source.held().size).toBe(64);
  const stop = new AbortController();
  const work = (): never => {
    throw new Error('no invoice');
  };
  const leading = source.role(63).lead(work, { signal: stop.signal });
  await expect.poll(() => source.health().troubles.length).toBe(1);
  const now = Date.now();
  const view = new LiveView(source, []);
  for (let count = 0; count < 20; count += 1)
    view.add({ at: now, kind: 'leader', member: 'o', partition: count, leader: 'alice' });
  const frame = view.render(now, { columns: 80, rows: 24 });
  // The last line ends too.
  expect(frame.split('\n')).toHaveLength(24);
  expect(frame).toMatch(/^group long: \d+ of 64 .*\n\nPARTITION/);
  expect(frame).toMatch(/^… \d+ more lines: leadership status prints all …$/m);
  expect(frame).toMatch(/^trouble \(work-failed\) in partition 63/m);
  const next = view.render(now, { columns: 80, rows: 24 });
  expect(next.startsWith('\u001b[23A\u001b[0J'), 'it replaces the 23 lines').toBe(true);
  expect(view.render(now, { columns: 80, rows: 200 })).not.toContain('more lines');
  stop.abort();
  await leading;
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
