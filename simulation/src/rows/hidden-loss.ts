// A store that loses its newest changes, and whose positions hide it: neither the loss is seen, nor what
// takes the place of the lost changes. Two members may lead for T then, and no longer.
import type { RowChange, RowStore } from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import { between } from '../kernel/random.ts';
import { schedule } from '../kernel/timeline.ts';
import type { World } from './world.ts';

/** The losses of a store. */
export interface HiddenLosses {
  /** Whether the store loses the next change of a partition, and all since. */
  isNext: boolean;
  /** When it has lost changes last. */
  at: Real;
}

/** The longest time from a change to its loss: answers and a notification may have shown it. In T. */
const lossShare = 0.2;

/** Makes changes. If they are to be lost, the store goes back to before them, a little later. */
export function lossy<Made>(
  world: World,
  changes: readonly RowChange[],
  make: () => Made,
  isMade: (made: Made, index: number) => boolean,
): Made {
  const { hidden, store, random, scenario } = world;
  if (!hidden.isNext) return make();
  const before = store.copy();
  const made = make();
  const isLost = changes.some(
    ({ name }, index) => name.startsWith('partition#') && isMade(made, index),
  );
  if (!isLost) return made;
  hidden.isNext = false;
  schedule(world, between(random, 0, lossShare * scenario.thresholdMs), goBack, before);
  return made;
}

function goBack(world: World, before: RowStore): void {
  world.store.goBackTo(before);
  world.hidden.at = world.now;
}

/** Whether two members may lead now, because one relies on what was lost a moment ago. */
export function isLossFresh({ hidden, now, scenario }: World): boolean {
  return now < hidden.at + scenario.thresholdMs;
}

/** Whether a term may begin by a token that was chosen before all clocks had passed those that are lost. */
export function areTokensLost({ hidden, now, scenario }: World): boolean {
  return now < hidden.at + 2 * scenario.thresholdMs;
}
