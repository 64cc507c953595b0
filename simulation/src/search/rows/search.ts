import { type Explored, explore, type Move } from '../explore.ts';
import { initialState } from './initial-state.ts';
import { movesFrom } from './moves.ts';
import { keyOf } from './state-key.ts';
import type { SearchParameters, SystemState } from './system-state.ts';

/** The result of a search. */
export interface SearchResult extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** The shortest history that ends with what contradicts a rule, if one was found. */
  readonly found: readonly string[] | undefined;
}

/** Explores all states, shortest histories first, until a rule is broken. */
export function search(parameters: SearchParameters, statesMax: number): SearchResult {
  const { wrong, ...seen } = explore<SystemState>(
    {
      initialState: initialState(parameters),
      movesFrom: (system) => movesFrom(parameters, system),
      keyOf,
      isWrong: (system) => system.wrong !== undefined,
    },
    statesMax,
  );
  return { ...seen, found: wrong?.map(line) };
}

function line({ what, to }: Move<SystemState>): string {
  const clocks = to.members.map(({ now }) => now).join('/');
  return [clocks, what, to.wrong].filter((part) => part !== undefined).join(' ');
}
