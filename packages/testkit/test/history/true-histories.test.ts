import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termRecordsOf, violationsOf } from '../../src/faults.ts';
import { type MemberLogBuilder, memberLog } from './member-log.ts';

/**
 * One term of a valid history: it begins `gap` after the previous one ended, is queried several
 * times, and ends in one of four ways.
 */
interface Chapter {
  readonly gap: number;
  readonly looks: readonly number[];
  readonly end: 'released' | 'expired' | 'superseded' | 'killed';
  /** The time between the end of the term and the moment when its stopped member resumes. */
  readonly stopped: number;
}

const thresholdMs = 100;

const chapter: fc.Arbitrary<Chapter> = fc.record({
  gap: fc.integer({ min: 1, max: 50 }),
  looks: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }),
  end: fc.constantFrom('released', 'expired', 'superseded', 'killed'),
  stopped: fc.integer({ min: 0, max: 1000 }),
});

/** Builds the log of one term from `from` on; its belief ends at `over`. */
function historyOf(
  { looks, end, stopped }: Chapter,
  token: number,
  from: number,
): { readonly log: MemberLogBuilder; readonly over: number } {
  let log = memberLog(`m${token % 3}`, token, { life: `life ${token}` }).acquired(
    from,
    from + thresholdMs,
  );
  let seen = from;
  for (const look of looks) {
    seen += look;
    log = log.prolonged(seen, seen + thresholdMs);
  }
  if (end === 'released')
    return {
      log: log
        .revoked(seen)
        .settled(seen)
        .released(seen + stopped + 1, seen),
      over: seen,
    };
  const over = seen + thresholdMs;
  if (end === 'killed') return { log, over };
  return { log: log.fenced(over + stopped, end, seen), over };
}

function write(chapters: readonly Chapter[]): readonly {
  readonly log: MemberLogBuilder;
  readonly from: number;
  readonly over: number;
}[] {
  let from = 0;
  return chapters.map((one, index) => {
    from += one.gap;
    const written = { ...historyOf(one, index + 1, from), from };
    from = written.over;
    return written;
  });
}

test('no valid history is reported, however its terms end and however late its members report', () => {
  fc.assert(
    fc.property(fc.array(chapter, { maxLength: 12 }), (chapters) => {
      const events = write(chapters).flatMap(({ log }) => log.events);
      expect(violationsOf(termRecordsOf(events))).toEqual([]);
    }),
  );
});

test('a second believer at any time within a term is reported', () => {
  fc.assert(
    fc.property(
      fc.array(chapter, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (chapters, at, share) => {
        const written = write(chapters);
        const victim = written[at % written.length];
        if (victim === undefined) throw new Error('every history has a term');
        // Of a superseded term, only the observed part is certain.
        const [term] = termRecordsOf(victim.log.events);
        const toMs = Number(term?.belief?.toNs ?? 0n) / 1e6;
        fc.pre(toMs > victim.from);
        const intruder = memberLog('intruder', 1000).acquired(
          victim.from + share * (toMs - victim.from),
          toMs + 1,
        );
        const events = [...written.map(({ log }) => log), intruder].flatMap(({ events }) => events);
        expect(violationsOf(termRecordsOf(events)).map(({ rule }) => rule)).toContain(
          'one-believer',
        );
      },
    ),
  );
});
