// The state from which an exhaustive search of the ledger lease begins.
import { landings, later, read } from './moves.ts';
import { type Exploration, type SystemState, stepped, unled } from './system-state.ts';

/** Returns the initial state of the search. */
export function initialState(parameters: Exploration): SystemState {
  if (parameters.begins === 'unled') return unled(parameters);
  const { writes, requests } = parameters;
  return { ...led(parameters), writesLeft: writes, requestsLeft: requests };
}

/**
 * The second member claims, because the preferred first member does nothing yet. Then both members
 * read the claim.
 */
function led(parameters: Exploration): SystemState {
  let system = unled({ ...parameters, writes: 1, requests: 0 });
  while (system.flights.length === 0)
    system = stepped(parameters, later(parameters, system), 1, { kind: 'wake' });
  const [landed] = landings(system);
  if (landed === undefined) throw new Error('Broken invariant: a write that was sent may land');
  return read(parameters, read(parameters, landed.to, 1), 0);
}
