// Looks at everything that can happen in a small world, of whichever protocol: nothing there happens by chance.
import { there } from '../random.ts';

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

/** A situation, and how it came to be. */
interface Visit<Situation> {
  readonly situation: Situation;
  readonly trail: Trail | undefined;
}

/** Which of the moves there were was made each time. The situations on the way would not fit into memory. */
interface Trail {
  readonly move: number;
  readonly before: Trail | undefined;
}

/** Looks at everything that can happen, the shortest histories first, until something is wrong or so many situations were seen. */
export function explore<Situation>(maze: Maze<Situation>, statesMax: number): Explored<Situation> {
  const { opening, movesFrom, keyOf, isWrong } = maze;
  const seen = new Set([keyOf(opening)]);
  const isNew = ({ situation }: Visit<Situation>): boolean => {
    const { size } = seen;
    return seen.add(keyOf(situation)).size > size;
  };
  const onwards = ({ situation, trail }: Visit<Situation>): Visit<Situation>[] =>
    movesFrom(situation).map(({ to }, move) => ({ situation: to, trail: { move, before: trail } }));
  let front: readonly Visit<Situation>[] = [{ situation: opening, trail: undefined }];
  while (front.length > 0) {
    const next: Visit<Situation>[] = [];
    for (const visit of front) {
      if (seen.size >= statesMax) return { states: seen.size, exhausted: false, wrong: undefined };
      const news = onwards(visit).filter(isNew);
      const wrong = news.find(({ situation }) => isWrong(situation));
      if (wrong) return { states: seen.size, exhausted: false, wrong: historyOf(maze, wrong.trail) };
      next.push(...news);
    }
    front = next;
  }
  return { states: seen.size, exhausted: true, wrong: undefined };
}

/** What happened, one thing after the other: it is lived again. */
function historyOf<Situation>(maze: Maze<Situation>, trail: Trail | undefined): readonly Move<Situation>[] {
  const moves: number[] = [];
  for (let step = trail; step !== undefined; step = step.before) moves.unshift(step.move);
  const history: Move<Situation>[] = [{ what: 'begin', to: maze.opening }];
  let situation = maze.opening;
  for (const move of moves) {
    const made = there(maze.movesFrom(situation)[move]);
    history.push(made);
    situation = made.to;
  }
  return history;
}
