import type { Clock, Instant } from '@leadership/core/adapter';
import { beforeEach, expect, it } from 'vitest';
import { Presence } from '../../src/table/presence.ts';

const thresholdMs = 1000;
let nowMs: number;
let presence: Presence;
beforeEach(() => {
  nowMs = 1;
  const clock = { now: () => nowMs as Instant } satisfies Partial<Clock>;
  presence = new Presence(clock as Clock, thresholdMs);
});

const live = (version: number): string => `{"kind":"live","version":${version}}`;
const read = (rows: Readonly<Record<string, string>>): readonly string[] =>
  presence.read(new Map(Object.entries(rows)));

it('counts each member once, by its session that lives or its note', () => {
  const rows = {
    pin: '{}',
    'member#a': 'note',
    'session#a/1': live(3),
    'session#b/7': live(0),
    'session#c/1': '{"kind":"ended"}',
    'session#d/2': '{"kind":"deposed"}',
  };
  expect(read(rows)).toEqual(['a', 'b']);
});

it('counts a member until its row has not changed for two and a half T', () => {
  read({ 'session#a/1': live(0), 'member#b': 'one' });
  nowMs += 2.4 * thresholdMs;
  expect(read({ 'session#a/1': live(1), 'member#b': 'one' })).toEqual(['a', 'b']);
  nowMs += 0.2 * thresholdMs;
  expect(read({ 'session#a/1': live(1), 'member#b': 'one' })).toEqual(['a']);
  expect(read({ 'session#a/1': live(1), 'member#b': 'two' })).toEqual(['a', 'b']);
});

it('counts on while nothing can be read, and then those whose rows have changed', () => {
  read({ 'member#a': 'one', 'member#b': 'one' });
  nowMs += 20 * thresholdMs;
  expect(read({ 'member#a': 'two', 'member#b': 'one' })).toEqual(['a']);
  expect(read({})).toEqual([]);
});
