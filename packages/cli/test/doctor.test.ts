import type { Leader } from '@leadership/core';
import { expect, it } from 'vitest';
import { findingsText } from '../src/doctor/finding.ts';
import { judgeClock, judgeHost, judgeThreshold } from '../src/doctor/judge.ts';

const leader = (token: bigint): Leader => ({ member: 'a', self: false, token, metadata: {} });

it('T must be ten times the longest stall, twelve round trips, and a second', () => {
  expect(judgeThreshold(3000, 20, undefined)).toMatchObject({ result: 'ok' });
  expect(judgeThreshold(500, 20, undefined).message).toContain('at least 1000');
  expect(judgeThreshold(3000, 320, undefined).message).toContain('at least 3500');
  expect(judgeThreshold(3000, 20, 300).message).toContain('at least 4000');
});

it('a clock behind the greatest token is a warning', () => {
  const roster = new Map([[0, leader(20_000_000n)]]);
  expect(judgeClock(roster, 20_000).result).toBe('ok');
  expect(judgeClock(roster, 10_000)).toMatchObject({ result: 'warn' });
  expect(judgeClock(roster, 10_000).message).toContain('10.0 s ahead');
  expect(judgeClock(new Map(), 0).message).toContain('no leader');
});

it('a busy or throttled host is a warning', () => {
  const results = (loadPerCpu: number, throttled: number | undefined): readonly string[] =>
    judgeHost({ stallMs: 5, loadPerCpu, throttled }).map(({ result }) => result);
  expect(results(0.5, undefined)).toEqual(['ok', 'ok']);
  expect(results(1.5, 0)).toEqual(['ok', 'warn', 'ok']);
  expect(results(0.5, 3)).toEqual(['ok', 'ok', 'warn']);
});

it('findings are aligned', () => {
  const text = findingsText([
    { check: 'cpu', result: 'ok', message: 'a' },
    { check: 'backend', result: 'fail', message: 'b' },
  ]);
  expect(text).toBe('ok    cpu      a\nfail  backend  b');
});
