// Explores all reachable states of a small world, for any protocol. There is no randomness: every
// possible event is tried.
import { there } from '../kernel/random.ts';

/** One possible event, as text, and the state after it. */
export interface Move<Situation> {
  readonly what: string;
  readonly to: Situation;
}

/** A small world to explore. */
export interface Maze<Situation> {
  readonly opening: Situation;
  /** Returns all possible next events. A lost message needs no event: it never arrives. */
  movesFrom(situation: Situation): readonly Move<Situation>[];
  /** Returns a key that is equal for two states if no future event can distinguish them. */
  keyOf(situation: Situation): string;
  /** Returns whether the state violates an invariant. */
  isWrong(situation: Situation): boolean;
}

/** The result of an exploration. */
export interface Explored<Situation> {
  /** Number of different states that were visited. */
  readonly states: number;
  /** Whether all reachable states were visited. */
  readonly exhausted: boolean;
  /** The shortest history that ends in a violation, if one was found. */
  readonly wrong: readonly Move<Situation>[] | undefined;
}

/** A visited state and the path to it. */
interface Visit<Situation> {
  readonly situation: Situation;
  readonly trail: Trail | undefined;
}

/** A path as a list of move indexes. Storing the states on the path would exceed the memory. */
interface Trail {
  readonly move: number;
  readonly before: Trail | undefined;
}

/**
 * Explores all states, shortest histories first, until it finds a violation or has visited
 * `statesMax` states.
 */
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
      if (wrong)
        return { states: seen.size, exhausted: false, wrong: historyOf(maze, wrong.trail) };
      next.push(...news);
    }
    front = next;
  }
  return { states: seen.size, exhausted: true, wrong: undefined };
}

/** Rebuilds a history by replaying the moves of its path. */
function historyOf<Situation>(
  maze: Maze<Situation>,
  trail: Trail | undefined,
): readonly Move<Situation>[] {
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
