import { landings, later, read } from './moves.ts';
import { type Question, type Situation, stepped, unled } from './situation.ts';

/** Returns the initial state of the search. */
export function opening(question: Question): Situation {
  if (question.begins === 'unled') return unled(question);
  const { writes, wants } = question;
  return { ...led(question), writesLeft: writes, wantsLeft: wants };
}

/**
 * The second member claims, because the preferred first member does nothing yet. Then both members
 * read the claim.
 */
function led(question: Question): Situation {
  let situation = unled({ ...question, writes: 1, wants: 0 });
  while (situation.flights.length === 0)
    situation = stepped(question, later(question, situation), 1, { kind: 'wake' });
  const [landed] = landings(situation);
  if (landed === undefined) throw new Error('Broken invariant: a write that was sent may land');
  return read(question, read(question, landed.to, 1), 0);
}
