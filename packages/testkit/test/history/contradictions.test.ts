import { describe, expect, test } from 'vitest';
import { type Contradiction, contradictions, type MemberEvent, reignsOf } from '../../src/faults.ts';
import { type Tale, tale } from './tale.ts';

/** The history of those tales, however their logs were merged. */
function judge(...tales: readonly Tale[]): readonly Contradiction[] {
  const told = tales.map(({ events }) => events);
  const found = contradictions(reignsOf(told.flat()));
  expect(contradictions(reignsOf(told.toReversed().flat())).map(({ rule }) => rule)).toEqual(found.map(({ rule }) => rule));
  return found;
}

const rules = (...tales: readonly Tale[]): readonly string[] => judge(...tales).map(({ rule }) => rule);

/** Leads from 0 to 100, drains and releases. */
const orderly = (): Tale => tale('a', 1).acquired(0, 100).prolonged(50, 150).revoked(80).settled(95).released(101, 100);

describe('a history that keeps every promise has no contradiction', () => {
  test('after a release', () => {
    expect(rules(orderly(), tale('b', 2).acquired(102, 200))).toEqual([]);
  });

  test('after a crash, from the very instant at which the belief of the dead was over (L5)', () => {
    expect(rules(tale('a', 1).acquired(0, 100), tale('b', 2).acquired(100, 200))).toEqual([]);
  });

  test('where a member that was stopped told of its end long after the next had begun', () => {
    expect(rules(tale('a', 1).acquired(0, 100).fenced(500, 'expired', 40), tale('b', 2).acquired(120, 600))).toEqual([]);
  });

  test('where a member was stopped before it could tell of a term, and that was over when it went on', () => {
    expect(rules(tale('a', 1).acquired(500).fenced(501, 'expired'), tale('b', 2).acquired(120, 600))).toEqual([]);
  });

  test('where the first statement after a block said that it leads no more (H5)', () => {
    expect(rules(tale('a', 1).acquired(0, 100).firstStatement(300, false), tale('b', 2).acquired(120, 600))).toEqual([]);
  });

  test('where work settled long after its term was fenced (H3)', () => {
    expect(rules(tale('a', 1).acquired(0, 100).fenced(60, 'drain-timed-out', 59).settled(900), tale('b', 2).acquired(120, 600))).toEqual(
      [],
    );
  });

  test('where a term was released before its work had begun: there is nothing to wait for (H2)', () => {
    expect(rules(tale('a', 1).acquired(0, 100).revoked(5).released(6, 5), tale('b', 2).acquired(7, 100))).toEqual([]);
  });

  test('where other partitions have leaders of their own', () => {
    expect(rules(tale('a', 1).acquired(0, 100), tale('b', 1, { partition: 1 }).acquired(0, 100))).toEqual([]);
  });

  test('where nothing happened', () => {
    expect(judge()).toEqual([]);
  });
});

describe('a history is caught', () => {
  test.each<readonly [string, Tale, Tale]>([
    ['who is asked at once', tale('a', 1).acquired(0, 100).released(91, 90).settled(10), tale('b', 2).acquired(89, 200)],
    ['who is dead but would have believed', tale('a', 1).acquired(0, 100), tale('b', 2).acquired(99, 200)],
    ['who was stopped and would have believed', tale('a', 1).acquired(0, 100).fenced(300, 'expired', 40), tale('b', 2).acquired(99, 200)],
    ['whose belief was prolonged', tale('a', 1).acquired(0, 100).prolonged(50, 150), tale('b', 2).acquired(149, 200)],
    ['who says so in the first statement', tale('a', 1).acquired(0, 100).firstStatement(300, true), tale('b', 2).acquired(150, 400)],
    ['who are one name in two lives', tale('a', 1).acquired(0, 100), tale('a', 2, { life: 'another' }).acquired(50, 200)],
    ['who have one life and two terms', tale('a', 1).acquired(0, 100).fenced(90, 'superseded', 80), tale('a', 2).acquired(70, 200)],
  ])('in which two believe %s (L3, H4)', (_case, a, b) => {
    expect(rules(a, b)).toContain('one-believer');
  });

  test('in which two believe at once and a third reigned shortly in between', () => {
    const long = tale('a', 1).acquired(0, 500);
    expect(rules(long, tale('b', 2).acquired(100, 110), tale('c', 3).acquired(400, 450))).toEqual(['one-believer', 'one-believer']);
  });

  test('in which a later term has no greater token (T1)', () => {
    expect(rules(tale('a', 7).acquired(0, 100), tale('b', 6).acquired(200, 300))).toEqual(['tokens-grow']);
    expect(rules(tale('a', 7).acquired(0, 100), tale('b', 7).acquired(200, 300))).toEqual(['tokens-grow', 'one-life']);
  });

  test('in which two incarnations have one token, though nobody saw them lead (T3)', () => {
    expect(rules(tale('a', 7).acquired(0), tale('b', 7).acquired(200))).toEqual(['one-life']);
  });

  test('in which a successor begins before the work of whom it follows has settled (H2)', () => {
    const hasty = tale('a', 1).acquired(0, 100).revoked(50).released(61, 60).settled(90);
    expect(rules(hasty, tale('b', 2).acquired(70, 200))).toEqual(['drained-first', 'drained-first']);
    expect(rules(hasty, tale('b', 2).acquired(95, 200))).toEqual(['drained-first']);
  });

  test('in which a partition is released whose work never settles (H2)', () => {
    expect(rules(tale('a', 1).acquired(0, 100).working(1).revoked(50).released(61, 60))).toEqual(['drained-first']);
  });

  test('in which a term that was over leads again (T3, H4)', () => {
    expect(rules(tale('a', 1).acquired(0, 100).fenced(100, 'expired', 99).acquired(110, 200))).toEqual(['unbroken']);
    expect(rules(tale('a', 1).acquired(0, 100).acquired(110, 200))).toEqual(['unbroken']);
  });

  test('and told in a sentence that says who, where and for how long', () => {
    const [found] = judge(tale('a', 1).acquired(0, 100), tale('b', 2).acquired(75.5, 200));
    expect(found?.sentence).toBe('partition 0: a (life of ) in term 1 and b (life of ) in term 2 believed at once for 24.500 ms');
  });
});

test('events that name no term, and terms nobody told the beginning of, are not judged', () => {
  const stray: MemberEvent = { kind: 'settled', atNs: 5n, member: 'a', life: 'l', partition: 0, token: 3n };
  expect(reignsOf([{ kind: 'ready', atNs: 1n, member: 'a', life: 'l' }, stray])).toEqual([]);
});
