// The first leaders of a group, if its members do not all start at one instant.
import { describe, expect, it } from 'vitest';
import { Group } from './group.ts';

const thresholdMs = 1000;
const partitions = 8;

/** Starts the members in that order, `gapMs` apart, and returns when the last one has started. */
function startAll(group: Group, names: readonly string[], gapMs: number): number {
  for (const [index, name] of names.entries()) {
    if (index > 0) group.pass(gapMs);
    group.start(name);
  }
  return (names.length - 1) * gapMs;
}

/** The number of partitions that each of the members leads. */
function shares(group: Group, names: readonly string[]): readonly number[] {
  return names.map((name) => group.state(name).led.size);
}

/** The number of terms so far. */
function terms({ lines }: Group): number {
  return lines.filter((line) => / leads partition \d+, token/.test(line)).length;
}

describe('the first leader of a partition (M5)', () => {
  it.each([
    ['later names', ['a', 'b', 'c']],
    ['earlier names', ['c', 'b', 'a']],
  ])('does not wait for members that start later, with %s', (_, names) => {
    const group = new Group({ partitions });
    const startedMs = startAll(group, names, 0.45 * thresholdMs);
    // T for the empty rows, a poll for members that started at the same time, and a few requests.
    group.pass(1.35 * thresholdMs - startedMs);
    expect(terms(group)).toBe(partitions);
    // Those that started later get their share by a hand-over.
    group.pass(10 * thresholdMs);
    expect([...shares(group, names)].sort()).toEqual([2, 3, 3]);
  });

  it('leads a single partition as soon, whoever is preferred', () => {
    for (const names of [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ]) {
      const group = new Group();
      const startedMs = startAll(group, names, 0.45 * thresholdMs);
      group.pass(1.35 * thresholdMs - startedMs);
      expect(terms(group)).toBe(1);
    }
  });

  it('is the preferred member if all have started within a poll: nothing is handed over', () => {
    const names = ['a', 'b', 'c'];
    const group = new Group({ partitions });
    startAll(group, names, 0.1 * thresholdMs);
    group.pass(10 * thresholdMs);
    expect([...shares(group, names)].sort()).toEqual([2, 3, 3]);
    expect(terms(group)).toBe(partitions);
  });
});
