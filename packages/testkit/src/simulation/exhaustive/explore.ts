// Looks at everything that can happen in a small world, of whichever protocol: nothing there happens by chance.

/** One thing that can happen, in words, and what it leads to. */
export interface Move<Situation> {
  readonly what: string;
  readonly to: Situation;
}

/** A small world. */
export interface Maze<Situation> {
  readonly opening: Situation;
  /** Everything that can happen next. What never happens, like the arrival of a lost message, is a move never made. */
  movesFrom(situation: Situation): readonly Move<Situation>[];
  /** The same for two situations that nothing that happens from here on can tell apart. */
  keyOf(situation: Situation): string;
  /** What must never be. */
  isWrong(situation: Situation): boolean;
}

/** What was found. */
export interface Explored<Situation> {
  /** How many different situations were seen. */
  readonly states: number;
  /** Whether everything that can be reached was seen. */
  readonly exhausted: boolean;
  /** What happened, one thing after the other, until what must never be. */
  readonly wrong: readonly Move<Situation>[] | undefined;
}

interface Visit<Situation> extends Move<Situation> {
  readonly from: Visit<Situation> | undefined;
}

/** Looks at everything that can happen, the shortest histories first, until something is wrong or so many situations were seen. */
export function explore<Situation>(maze: Maze<Situation>, statesMax: number): Explored<Situation> {
  const { opening, movesFrom, keyOf, isWrong } = maze;
  const seen = new Set([keyOf(opening)]);
  const isNew = ({ to }: Move<Situation>): boolean => {
    const { size } = seen;
    return seen.add(keyOf(to)).size > size;
  };
  let front: readonly Visit<Situation>[] = [{ what: 'begin', to: opening, from: undefined }];
  while (front.length > 0 && seen.size < statesMax) {
    front = front.flatMap((from) =>
      movesFrom(from.to)
        .filter(isNew)
        .map((move) => ({ ...move, from })),
    );
    const wrong = front.find(({ to }) => isWrong(to));
    if (wrong) return { states: seen.size, exhausted: false, wrong: historyOf(wrong) };
  }
  return { states: seen.size, exhausted: front.length === 0, wrong: undefined };
}

function historyOf<Situation>(visit: Visit<Situation>): readonly Move<Situation>[] {
  return [...(visit.from ? historyOf(visit.from) : []), visit];
}
