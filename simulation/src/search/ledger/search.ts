import { type Explored, explore } from '../explore.ts';
import { keyOf } from './canonical.ts';
import { movesFrom } from './moves.ts';
import { opening } from './opening.ts';
import { leads, type Question, type Situation } from './situation.ts';

/** The result of a search. */
export interface Answer extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** The shortest history that ends with two leaders, if one was found. */
  readonly doubleLed: readonly string[] | undefined;
}

/** Explores all states, shortest histories first, until two members lead at once. */
export function search(question: Question, statesMax: number): Answer {
  const { wrong, ...seen } = explore<Situation>(
    {
      opening: opening(question),
      movesFrom: (situation) => movesFrom(question, situation),
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
