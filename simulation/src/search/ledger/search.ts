import { type Explored, explore } from '../explore.ts';
import { initialState } from './initial-state.ts';
import { movesFrom } from './moves.ts';
import { keyOf } from './state-key.ts';
import { leads, type SearchParameters, type SystemState } from './system-state.ts';

/** The result of a search. */
export interface SearchResult extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** The shortest history that ends with two leaders, if one was found. */
  readonly doubleLed: readonly string[] | undefined;
}

/** Explores all states, shortest histories first, until two members lead at once. */
export function search(parameters: SearchParameters, statesMax: number): SearchResult {
  const { wrong, ...seen } = explore<SystemState>(
    {
      initialState: initialState(parameters),
      movesFrom: (system) => movesFrom(parameters, system),
      keyOf,
      isWrong: ({ members }) => members.every(leads),
    },
    statesMax,
  );
  const doubleLed = wrong?.map(
    ({ what, to: { members } }) => `${members.map(({ now }) => now).join('/')} ${what}`,
  );
  return { ...seen, doubleLed };
}
