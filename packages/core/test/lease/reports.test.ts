// The reports of leaders of a group with thousands of partitions.
import { expect, it } from 'vitest';
import { type LeaderReport, Reports } from '../../src/lease/reports.ts';
import type { Instant } from '../../src/time/instant.ts';

/** The partitions of the reports that the host has got, and the turns that wait. */
function reporting() {
  const reported: string[] = [];
  const turns: (() => void)[] = [];
  const reports = new Reports({
    report: ({ partition, leader }) =>
      void reported.push(`${partition} ${leader?.member ?? 'nobody'}`),
    later: (goOn) => void turns.push(goOn),
  });
  const add = (report: LeaderReport, at = 1): void => reports.add(report, at as Instant);
  return { reported, turns, reports, add, nextTurn: () => turns.shift()?.() };
}

const reportOf = (partition: number, member?: string): LeaderReport => ({
  kind: 'leader',
  partition,
  leader: member === undefined ? undefined : { member, incarnation: 'i', token: 1n, metadata: {} },
});

it('a step reports 512 leaders, and each later turn as many', () => {
  const { reported, reports, add, nextTurn } = reporting();
  let isSettled = false;
  for (let partition = 0; partition < 1100; partition += 1) add(reportOf(partition, 'a'));
  reports.whenSettled(() => {
    isSettled = true;
  });
  expect(reported.length).toBe(512);
  nextTurn();
  expect(reported.length).toBe(1024);
  expect(isSettled).toBe(false);
  nextTurn();
  expect(reported).toEqual(Array.from({ length: 1100 }, (_, index) => `${index} a`));
  expect(isSettled).toBe(true);
});

it('the reports of small groups wait for no turn, however many there are', () => {
  const { reported, turns, add } = reporting();
  for (let index = 0; index < 2000; index += 1) {
    add(reportOf(index % 8, 'a'), index);
  }
  expect(reported.length).toBe(2000);
  expect(turns.length).toBe(0);
});

it('what waits of a partition is reported before the next that the host receives of it', () => {
  const { reported, reports, add, nextTurn } = reporting();
  for (let partition = 0; partition < 600; partition += 1) add(reportOf(partition));
  // A term begins.
  reports.settle(550);
  expect(reported.at(-1)).toBe('550 nobody');
  add(reportOf(551, 'b'), 2);
  expect(reported.slice(-2)).toEqual(['551 nobody', '551 b']);
  nextTurn();
  expect(reported.length).toBe(601);
  expect(new Set(reported).size).toBe(601);
});
