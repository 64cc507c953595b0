import { keyOf } from './canonical.ts';
import { type Move, movesFrom } from './moves.ts';
import { opening } from './opening.ts';
import { leads, type Question, type Situation } from './situation.ts';

/** What a search found. */
export interface Answer {
  /** How many different situations were seen. */
  readonly states: number;
  /** Whether everything that can be reached was seen. */
  readonly exhausted: boolean;
  /** What happened, one thing after the other, until two led at once. */
  readonly doubleLed: readonly string[] | undefined;
}

interface Visit {
  readonly situation: Situation;
  readonly what: string;
  readonly from: Visit | undefined;
}

/** Looks at everything that can happen, the shortest histories first, until two members lead at once. */
export function search(question: Question, statesMax: number): Answer {
  const first: Visit = { situation: opening(question), what: 'begin', from: undefined };
  const seen = new Set([keyOf(first.situation)]);
  let front: readonly Visit[] = [first];
  while (front.length > 0 && seen.size < statesMax) {
    front = front.flatMap((visit) => visitsAfter(question, visit, seen));
    const doubled = front.find(({ situation }) => situation.members.every(leads));
    if (doubled) return { states: seen.size, exhausted: false, doubleLed: historyOf(doubled) };
  }
  return { states: seen.size, exhausted: front.length === 0, doubleLed: undefined };
}

function visitsAfter(question: Question, from: Visit, seen: Set<string>): readonly Visit[] {
  const fresh = movesFrom(question, from.situation).filter(({ to }) => isNew(seen, to));
  return fresh.map(({ what, to }) => ({ situation: to, what, from }));
}

function isNew(seen: Set<string>, to: Move['to']): boolean {
  const { size } = seen;
  return seen.add(keyOf(to)).size > size;
}

function historyOf(visit: Visit): readonly string[] {
  const before = visit.from ? historyOf(visit.from) : [];
  const [a, b] = visit.situation.members;
  return [...before, `${a.now}/${b.now} ${visit.what}`];
}
