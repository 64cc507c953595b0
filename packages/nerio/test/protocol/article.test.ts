// The scenarios of "Leader Election, Why Should I Care?" (N15), run by the protocol.
import { describe, expect, test } from 'vitest';
import { resolveMembers } from '../../src/options.ts';
import type { QuorumSpec } from '../../src/protocol.ts';
import { runTranscript } from '../support/transcript.ts';

interface Belief {
  readonly who: string;
  readonly term: string;
  readonly from: number;
  readonly until: number;
}

/**
 * The beliefs of all members: from when until when each believed that it led. All clocks are
 * correct here, so instants compare.
 */
function beliefsIn(text: string): readonly Belief[] {
  const proofs = [...text.matchAll(/^ +([\d.]+) (\w+) +LEADS, term (\d+), until ([\d.]+)/gm)];
  const ends = [...text.matchAll(/^ +([\d.]+) (\w+) +(?:LOST|released)/gm)].map(([, at, who]) => ({
    at: Number(at),
    who,
  }));
  return proofs.map(([, at, who = '', term = '', until]) => {
    const end = ends.find((one) => one.who === who && one.at > Number(at));
    return {
      who,
      term,
      from: Number(at),
      until: Math.min(Number(until), end?.at ?? Number.POSITIVE_INFINITY),
    };
  });
}

function overlaps(beliefs: readonly Belief[]): readonly string[] {
  const pairs = beliefs.flatMap((a, index) => beliefs.slice(index + 1).map((b) => [a, b] as const));
  return pairs
    .filter(([a, b]) => a.who !== b.who && a.from < b.until && b.from < a.until)
    .map(([a, b]) => `${a.who} and ${b.who}`);
}

/** The members that led at that instant. */
function leadersAt(beliefs: readonly Belief[], at: number): readonly string[] {
  return [
    ...new Set(beliefs.filter(({ from, until }) => from <= at && at < until).map(({ who }) => who)),
  ];
}

/** The error for a member of these five with these quorums. */
function refusalOf(quorums: QuorumSpec): string | undefined {
  try {
    resolveMembers(['a', 'b', 'c', 'd', 'e'], quorums);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-options' });
    return (error as Error).message;
  }
}

describe('the network splits A and B from C, D and E (N15)', () => {
  const split = ['members a b c d e', 'until 3000', 'split a b from c d e', 'until 8000'];

  test('with a quorum of three, A steps down and only C leads', () => {
    const beliefs = beliefsIn(runTranscript(split.join('\n')));
    expect(leadersAt(beliefs, 2900)).toEqual(['a0']);
    expect(leadersAt(beliefs, 7900)).toEqual(['c0']);
    expect(overlaps(beliefs)).toEqual([]);
  });

  test('with a quorum of two, both sides lead: the options are refused, with the numbers', () => {
    const beliefs = beliefsIn(runTranscript(['need 2', ...split].join('\n')));
    expect(leadersAt(beliefs, 7900)).toEqual(expect.arrayContaining(['a0', 'c0']));
    expect(overlaps(beliefs)).toContain('a0 and c0');
    expect(refusalOf({ kind: 'weights', weights: {}, need: 2 })).toBe(
      'members cannot elect: two quorums of weight 2 need not share a voter: need must exceed half of the total weight 5',
    );
    const sides = [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ];
    expect(refusalOf({ kind: 'sets', sets: sides })).toBe(
      'members cannot elect: the quorums {a, b} and {c, d, e} share no voter: two leaders could be elected',
    );
    expect(refusalOf({ kind: 'weights', weights: {}, need: 3 })).toBeUndefined();
  });
});

describe('the first in the ring comes and goes (N15)', () => {
  test('it leads once; its returns do not disturb its successor, and there are never two leaders', () => {
    const flaps = Array.from({ length: 8 }, (_, times) => [
      `until ${6000 + 1500 * times}`,
      'start a',
      `until ${6700 + 1500 * times}`,
      'kill a',
    ]);
    const beliefs = beliefsIn(
      runTranscript(
        ['members a b c', 'until 3000', 'kill a', ...flaps.flat(), 'until 20000'].join('\n'),
      ),
    );
    expect([...new Set(beliefs.map(({ who, term }) => `${who} term ${term}`))]).toEqual([
      'a0 term 1',
      'b0 term 2',
    ]);
    expect(overlaps(beliefs)).toEqual([]);
  });
});

describe('C, which leads, is moved to the side of A and B (N15)', () => {
  const moved = [
    'members a b c d e',
    'until 3000',
    'split a b from c d e',
    'until 8000',
    'split a b c from d e',
  ];

  test('in time, it continues to lead with their grants; D and E do not lead', () => {
    const beliefs = beliefsIn(runTranscript([...moved, 'until 14000'].join('\n')));
    const after = beliefs.filter(({ from }) => from > 8000);
    expect([...new Set(after.map(({ who, term }) => `${who} term ${term}`))]).toEqual([
      'c0 term 2',
    ]);
    expect(overlaps(beliefs)).toEqual([]);
  });

  test('and crashes: A and B elect only once they know of its term, and with a greater one', () => {
    const scene = [
      ...moved.slice(0, -1),
      'kill c',
      'split a b c from d e',
      'until 8200',
      'start c',
      'until 16000',
    ];
    const beliefs = beliefsIn(runTranscript(scene.join('\n')));
    const after = beliefs.filter(({ from }) => from > 8200);
    // C has lost its memory, and D and E, which know its term, cannot be reached: no voter may
    // grant with C before C knows the term.
    expect(after).toEqual([]);
    const healed = beliefsIn(runTranscript([...scene, 'heal', 'until 22000'].join('\n'))).filter(
      ({ from }) => from > 16000,
    );
    expect(healed.length).toBeGreaterThan(0);
    expect(Number(healed[0]?.term)).toBeGreaterThan(2);
  });
});
