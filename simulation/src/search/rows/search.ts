import { RowStore } from '@leadership/core/internal/sessions';
import { guards } from '../../relation/actions.ts';
import { type Explored, explore, type Move } from '../explore.ts';
import { movesFrom } from './moves.ts';
import { keyOf } from './state-key.ts';
import { type Budget, newcomer, type SearchParameters, type SystemState } from './system-state.ts';

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

/** Nothing goes wrong before the search begins. */
const undisturbed: Budget = {
  ticks: 40,
  arrivals: 200,
  restarts: 0,
  resignations: 0,
  removals: 0,
  losses: 0,
};

/** Returns the initial state of a search. Clocks run alike until then, so the first member leads. */
function initialState(parameters: SearchParameters): SystemState {
  let system = empty(parameters);
  let past = [...system.store.rows];
  while (!isReached(parameters, system)) {
    if (system.members.every(({ terms }) => terms.size === 0)) past = [...system.store.rows];
    system = undisturbedMove({ ...parameters, rates: [100, 100] }, system);
  }
  const [a, b] = system.members;
  return {
    ...system,
    members: [a, { ...b, wakeAt: Math.min(b.wakeAt, b.now) }],
    left: parameters.budget,
    past,
  };
}

function empty(parameters: SearchParameters): SystemState {
  const second = newcomer(parameters, 1, 0, 0);
  const wakeAt = parameters.begins === 'joined' ? Number.POSITIVE_INFINITY : 0;
  return {
    members: [newcomer(parameters, 0, 0, 0), { ...second, wakeAt }],
    store: new RowStore(),
    messages: [],
    left: undisturbed,
    past: [],
    greatest: Array.from({ length: parameters.partitions }, () => 0n),
    checked: guards.nothingChecked(),
    wrong: undefined,
  };
}

function isReached({ begins, partitions }: SearchParameters, system: SystemState): boolean {
  if (begins === 'empty') return true;
  const { members, messages } = system;
  const [a, b] = members;
  if (messages.length > 0) return false;
  if (begins === 'joined') return a.terms.size === partitions;
  return a.terms.size + b.terms.size === partitions && b.state.hasRead;
}

/** Everything that can happen happens at once, and then time passes. A member that need not act sleeps. */
function undisturbedMove(parameters: SearchParameters, system: SystemState): SystemState {
  const moves = movesFrom(parameters, system);
  const first = moves.find(({ what }) => !what.includes('no answer')) as Move<SystemState>;
  return first.to;
}
