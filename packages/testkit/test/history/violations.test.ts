import { describe, expect, test } from 'vitest';
import { type MemberEvent, termRecordsOf, type Violation, violationsOf } from '../../src/faults.ts';
import { type MemberLogBuilder, memberLog } from './member-log.ts';

/**
 * Returns the contradictions of these tales; the order in which their logs are merged must not
 * matter.
 */
function judge(...tales: readonly MemberLogBuilder[]): readonly Violation[] {
  const reported = tales.map(({ events }) => events);
  const found = violationsOf(termRecordsOf(reported.flat()));
  expect(violationsOf(termRecordsOf(reported.toReversed().flat())).map(({ rule }) => rule)).toEqual(
    found.map(({ rule }) => rule),
  );
  return found;
}

const rules = (...tales: readonly MemberLogBuilder[]): readonly string[] =>
  judge(...tales).map(({ rule }) => rule);

/** Leads from 0 to 100, drains and releases. */
const orderly = (): MemberLogBuilder =>
  memberLog('a', 1).acquired(0, 100).prolonged(50, 150).revoked(80).settled(95).released(101, 100);

describe('a history without violations has no contradiction', () => {
  test('after a release', () => {
    expect(rules(orderly(), memberLog('b', 2).acquired(102, 200))).toEqual([]);
  });

  test('after a crash, from the instant at which the belief of the dead member ended (L5)', () => {
    expect(rules(memberLog('a', 1).acquired(0, 100), memberLog('b', 2).acquired(100, 200))).toEqual(
      [],
    );
  });

  test('if a stopped member reports the end of its term long after the next term began', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(0, 100).fenced(500, 'expired', 40),
        memberLog('b', 2).acquired(120, 600),
      ),
    ).toEqual([]);
  });

  test('if a member was stopped before it reported a term that had ended when it resumed', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(500).fenced(501, 'expired'),
        memberLog('b', 2).acquired(120, 600),
      ),
    ).toEqual([]);
  });

  test('if the first statement after a block says that the member no longer leads (H5)', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(0, 100).firstStatement(300, false),
        memberLog('b', 2).acquired(120, 600),
      ),
    ).toEqual([]);
  });

  test('if work settles long after its term was fenced (H3)', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(0, 100).fenced(60, 'drain-timed-out', 59).settled(900),
        memberLog('b', 2).acquired(120, 600),
      ),
    ).toEqual([]);
  });

  test('if a term is released before its work begins: the barrier has no work to wait for (H2)', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(0, 100).revoked(5).released(6, 5),
        memberLog('b', 2).acquired(7, 100),
      ),
    ).toEqual([]);
  });

  test('if other partitions have their own leaders', () => {
    expect(
      rules(
        memberLog('a', 1).acquired(0, 100),
        memberLog('b', 1, { partition: 1 }).acquired(0, 100),
      ),
    ).toEqual([]);
  });

  test('if it is empty', () => {
    expect(judge()).toEqual([]);
  });
});

describe('the judge reports a history', () => {
  test.each<readonly [string, MemberLogBuilder, MemberLogBuilder]>([
    [
      'when both are queried at once',
      memberLog('a', 1).acquired(0, 100).released(91, 90).settled(10),
      memberLog('b', 2).acquired(89, 200),
    ],
    [
      'although one is dead and would still believe',
      memberLog('a', 1).acquired(0, 100),
      memberLog('b', 2).acquired(99, 200),
    ],
    [
      'although one was stopped and would still believe',
      memberLog('a', 1).acquired(0, 100).fenced(300, 'expired', 40),
      memberLog('b', 2).acquired(99, 200),
    ],
    [
      'after the belief of one was prolonged',
      memberLog('a', 1).acquired(0, 100).prolonged(50, 150),
      memberLog('b', 2).acquired(149, 200),
    ],
    [
      'according to a first statement',
      memberLog('a', 1).acquired(0, 100).firstStatement(300, true),
      memberLog('b', 2).acquired(150, 400),
    ],
    [
      'as two incarnations of one name',
      memberLog('a', 1).acquired(0, 100),
      memberLog('a', 2, { life: 'another' }).acquired(50, 200),
    ],
    [
      'in two terms of one incarnation',
      memberLog('a', 1).acquired(0, 100).fenced(90, 'superseded', 80),
      memberLog('a', 2).acquired(70, 200),
    ],
  ])('in which two members believe %s (L3, H4)', (_case, a, b) => {
    expect(rules(a, b)).toContain('one-believer');
  });

  test('in which two members believe at once and a third led briefly in between', () => {
    const long = memberLog('a', 1).acquired(0, 500);
    expect(
      rules(long, memberLog('b', 2).acquired(100, 110), memberLog('c', 3).acquired(400, 450)),
    ).toEqual(['one-believer', 'one-believer']);
  });

  test('in which a later term has no greater token (T1)', () => {
    expect(rules(memberLog('a', 7).acquired(0, 100), memberLog('b', 6).acquired(200, 300))).toEqual(
      ['tokens-grow'],
    );
    expect(rules(memberLog('a', 7).acquired(0, 100), memberLog('b', 7).acquired(200, 300))).toEqual(
      ['tokens-grow', 'one-life'],
    );
  });

  test('in which a token lies between those of two earlier terms (T1)', () => {
    const found = judge(
      memberLog('a', 7).acquired(0, 100),
      memberLog('b', 5).acquired(200, 300),
      memberLog('c', 6).acquired(400, 500),
    );
    expect(found.map(({ rule, terms }) => [rule, terms.earlier?.token, terms.later.token])).toEqual(
      [
        ['tokens-grow', 7n, 5n],
        ['tokens-grow', 7n, 6n],
      ],
    );
  });

  test('in which two incarnations have one token, although no query saw them lead (T3)', () => {
    expect(rules(memberLog('a', 7).acquired(0), memberLog('b', 7).acquired(200))).toEqual([
      'one-life',
    ]);
  });

  test('in which a successor begins before the work of its predecessor has settled (H2)', () => {
    const hasty = memberLog('a', 1).acquired(0, 100).revoked(50).released(61, 60).settled(90);
    expect(rules(hasty, memberLog('b', 2).acquired(70, 200))).toEqual([
      'drained-first',
      'drained-first',
    ]);
    expect(rules(hasty, memberLog('b', 2).acquired(95, 200))).toEqual(['drained-first']);
  });

  test('with the time that two members led, or worked, at once', () => {
    const overlaps = (...tales: readonly MemberLogBuilder[]): readonly number[] =>
      judge(...tales).map(({ overlapMs }) => overlapMs);
    expect(
      overlaps(memberLog('a', 1).acquired(0, 100), memberLog('b', 2).acquired(70, 200)),
    ).toEqual([30]);
    const hasty = memberLog('a', 1).acquired(0, 100).revoked(50).released(61, 60).settled(90);
    expect(overlaps(hasty, memberLog('b', 2).acquired(70, 200))).toEqual([20, 0]);
  });

  test('in which a partition is released although its work never settles (H2)', () => {
    expect(
      rules(memberLog('a', 1).acquired(0, 100).working(1).revoked(50).released(61, 60)),
    ).toEqual(['drained-first']);
  });

  test('in which an ended term leads again (T3, H4)', () => {
    expect(
      rules(memberLog('a', 1).acquired(0, 100).fenced(100, 'expired', 99).acquired(110, 200)),
    ).toEqual(['unbroken']);
    expect(rules(memberLog('a', 1).acquired(0, 100).acquired(110, 200))).toEqual(['unbroken']);
  });

  test('with a message that names the members, the partition and the duration', () => {
    const [found] = judge(
      memberLog('a', 1).acquired(0, 100),
      memberLog('b', 2).acquired(75.5, 200),
    );
    expect(found?.message).toBe(
      'partition 0: a (life of ) in term 1 and b (life of ) in term 2 believed at once for 24.500 ms',
    );
  });
});

test('events without a term, and terms without a reported beginning, are not judged', () => {
  const stray: MemberEvent = {
    kind: 'settled',
    atNs: 5n,
    member: 'a',
    life: 'l',
    partition: 0,
    token: 3n,
  };
  expect(termRecordsOf([{ kind: 'ready', atNs: 1n, member: 'a', life: 'l' }, stray])).toEqual([]);
});
