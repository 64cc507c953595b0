import { type Explored, explore } from '../../../../simulation/src/search/explore.ts';
import { movesFrom, opening } from './moves.ts';
import { contextOf, leads, type Name, names, type Question, type Situation } from './situation.ts';

/** The result of a search. */
export interface Answer extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** The shortest history that ends with two leaders or with a token that does not grow. */
  readonly wrong: readonly string[] | undefined;
}

/** Explores all histories of the small world, shortest first. */
export function search(question: Question, statesMax: number): Answer {
  const { wrong, ...seen } = explore<Situation>(
    {
      initialState: opening(question),
      movesFrom: (situation) => movesFrom(question, situation),
      keyOf: (situation) => keyOf(question, situation),
      isWrong: (situation) =>
        situation.isTokenWrong ||
        (leads(question, situation, 'a') && leads(question, situation, 'b')),
    },
    statesMax,
  );
  return { ...seen, wrong: wrong?.map(({ what, to }) => `${to.tick} ${what}`) };
}

/** These cannot change the future: a history is shorter than the wait after a failure. */
const ignored: readonly string[] = ['notLeadingSince', 'hadMajority', 'sequence', 'failures'];

/** The part of the state that the future depends on. Bounds are compared as they are now. */
function keyOf(question: Question, situation: Situation): string {
  const { tick, suspicions, resignations, restarts, lastToken, flying } = situation;
  const members = names.map((name) => memberKey(question, situation, name));
  const left = [tick, suspicions, resignations, restarts, lastToken];
  return JSON.stringify([left, members, flying], (key, value: unknown) => {
    if (ignored.includes(key)) return undefined;
    if (key === 'asksFrom') return value !== -Infinity;
    return typeof value === 'bigint' ? `${value}n` : value === -Infinity ? 'never' : value;
  });
}

function memberKey(question: Question, situation: Situation, name: Name): unknown {
  const { startedAt, election, seen } = situation.members[name];
  const { generation, voterStates, candidateStates, claim, declaration, greatestToken } = election;
  const { roster } = contextOf(question, situation, name);
  const known = names.map((other) => {
    const peer = roster.get(other);
    const flying = situation.flying[`${other}${name}`];
    const isNewer = (seen[other]?.sequence ?? 0) > (flying?.sequence ?? 0);
    return peer && name === 'v' ? [peer, isNewer] : [peer?.generation, peer?.declaration, isNewer];
  });
  return [
    startedAt,
    generation,
    voterStates,
    candidateStates,
    claim,
    greatestToken,
    declaration,
    known,
  ];
}
