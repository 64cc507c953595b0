// Searches all states of two members that share one partition for a moment at which both lead. The
// tests run it with the real state machine, and with mutants.
import { guards } from '../../relation/actions.ts';
import { type Explored, explore, type Move } from '../explore.ts';
import { initialState } from './initial-state.ts';
import { movesFrom } from './moves.ts';
import { paces } from './pacing.ts';
import { keyOf } from './state-key.ts';
import {
  type Exploration,
  leads,
  type SearchParameters,
  type SystemState,
} from './system-state.ts';

/** The result of a search. */
export interface SearchResult extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** Number of steps that were checked against the text of the rules. */
  readonly checkedSteps: number;
  /** The shortest history that ends with what was searched for, if one was found. */
  readonly found: readonly string[] | undefined;
}

/** What a search looks for. */
type Searched = 'two leaders' | 'a wrong step';

/** Returns a description of the state, if it is what a search looks for. */
const describe: Readonly<Record<Searched, (system: SystemState) => string | undefined>> = {
  'two leaders': ({ members }) => (members.every(leads) ? 'two leaders' : undefined),
  'a wrong step': ({ refuted }) => refuted,
};

/**
 * Explores all states, shortest histories first, until two members lead at once, or until a step
 * contradicts the text of the rules.
 */
export function search(
  parameters: SearchParameters,
  statesMax: number,
  searched: readonly Searched[] = ['two leaders', 'a wrong step'],
): SearchResult {
  const exploration: Exploration = { ...parameters, paces, checked: guards.nothingChecked() };
  const wrongIn = (system: SystemState): string | undefined =>
    searched.map((one) => describe[one](system)).find((wrong) => wrong !== undefined);
  const { wrong, ...seen } = explore<SystemState>(
    {
      initialState: initialState(exploration),
      movesFrom: (system) => movesFrom(exploration, system),
      keyOf,
      isWrong: (system) => wrongIn(system) !== undefined,
    },
    statesMax,
  );
  const checkedSteps = exploration.checked.steps;
  const line = ({ what, to }: Move<SystemState>): string => {
    const clocks = to.members.map(({ now }) => now).join('/');
    return [clocks, what, wrongIn(to)].filter((part) => part !== undefined).join(' ');
  };
  return { ...seen, checkedSteps, found: wrong?.map(line) };
}
