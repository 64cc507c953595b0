// Explores all reachable states of a small world, for the exhaustive searches of any protocol.
// There is no randomness: every possible event is tried.
import { defined } from '../kernel/random.ts';

/** One possible event, as text, and the state after it. */
export interface Move<State> {
  readonly what: string;
  readonly to: State;
}

/** A small world to explore. */
export interface StateSpace<State> {
  readonly initialState: State;
  /** Returns all possible next events. A lost message needs no event: it never arrives. */
  movesFrom(state: State): readonly Move<State>[];
  /** Returns a key that is equal for two states if no future event can distinguish them. */
  keyOf(state: State): string;
  /** Returns whether the state violates an invariant. */
  isWrong(state: State): boolean;
}

/** The result of an exploration. */
export interface Explored<State> {
  /** Number of different states that were visited. */
  readonly states: number;
  /** Whether all reachable states were visited. */
  readonly exhausted: boolean;
  /** The shortest history that ends in a violation, if one was found. */
  readonly wrong: readonly Move<State>[] | undefined;
}

/** A visited state and the path to it. */
interface Visit<State> {
  readonly state: State;
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
export function explore<State>(space: StateSpace<State>, statesMax: number): Explored<State> {
  const { initialState, movesFrom, keyOf, isWrong } = space;
  const seen = new Set([keyOf(initialState)]);
  const isNew = ({ state }: Visit<State>): boolean => {
    const { size } = seen;
    return seen.add(keyOf(state)).size > size;
  };
  const onwards = ({ state, trail }: Visit<State>): Visit<State>[] =>
    movesFrom(state).map(({ to }, move) => ({ state: to, trail: { move, before: trail } }));
  let front: readonly Visit<State>[] = [{ state: initialState, trail: undefined }];
  while (front.length > 0) {
    const next: Visit<State>[] = [];
    for (const visit of front) {
      if (seen.size >= statesMax) return { states: seen.size, exhausted: false, wrong: undefined };
      const found = onwards(visit).filter(isNew);
      const wrong = found.find(({ state }) => isWrong(state));
      if (wrong)
        return { states: seen.size, exhausted: false, wrong: historyOf(space, wrong.trail) };
      next.push(...found);
    }
    front = next;
  }
  return { states: seen.size, exhausted: true, wrong: undefined };
}

/** Rebuilds a history by replaying the moves of its path. */
function historyOf<State>(
  space: StateSpace<State>,
  trail: Trail | undefined,
): readonly Move<State>[] {
  const moves: number[] = [];
  for (let step = trail; step !== undefined; step = step.before) moves.unshift(step.move);
  const history: Move<State>[] = [{ what: 'begin', to: space.initialState }];
  let state = space.initialState;
  for (const move of moves) {
    const made = defined(space.movesFrom(state)[move]);
    history.push(made);
    state = made.to;
  }
  return history;
}
