// Judges whom members list as present, in worlds where no request is late for long: those who look at a
// page act by that list.
import type { Output } from '@leadership/core/internal/sessions';
import { violation } from '../kernel/judge.ts';
import type { Node, World } from './world.ts';

/** How long a member may be listed after its end: T, and one reading of an observer with its delay. In T. */
const goneThresholds = 1.45;
/** How long a member may run before all others list it. In T. */
const shownThresholds = 2;

/** Notes that an incarnation has ended. */
export function noteGone({ judge, now }: World, { incarnation }: Node): void {
  judge.gone.set(incarnation, now);
}

/** Notes whom a member lists. */
export function noteListed(
  node: Node,
  members: (Output & { readonly kind: 'members' })['members'],
): void {
  node.listed = new Set(members.map(({ incarnation }) => incarnation));
}

/** Judges the list of a member: it has no member that ended long ago, and all that have run for long. */
export function judgeListed(world: World, node: Node): void {
  const { scenario, judge, now, nodes } = world;
  const { thresholdMs } = scenario;
  if (!scenario.isWatched) return;
  const isLongGone = (incarnation: string): boolean =>
    now - Math.max(judge.gone.get(incarnation) ?? now, node.startedAt) >
    goneThresholds * thresholdMs;
  // One that has just started cannot know how old a row is.
  for (const incarnation of node.listed)
    if (isLongGone(incarnation))
      violation(world, 'listed', node, -1, `lists ${incarnation}, which has ended`);
  const longAgo = now - shownThresholds * thresholdMs;
  if (node.startedAt > longAgo) return;
  for (const { alive, startedAt, incarnation } of nodes.slice(0, scenario.nodes))
    if (alive && startedAt <= longAgo && !node.listed.has(incarnation))
      violation(world, 'listed', node, -1, `does not list ${incarnation}, which runs`);
}
