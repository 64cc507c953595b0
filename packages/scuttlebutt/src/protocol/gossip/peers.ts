// Chooses the members to which a member gossips in a round, as in the published algorithm: some
// random living ones; sometimes a dead one, because a network partition between the two may have
// healed; and sometimes a seed, so that groups that do not know each other meet.

import type { GossipContext } from './context.ts';
import { isAlive, type Node } from './node.ts';
import { draw } from './random.ts';

/**
 * Returns a random number in [0, 1), and advances the generator in the context (`context.seed`).
 */
export function random(context: Pick<GossipContext<unknown>, 'seed'>): number {
  const { value, seed } = draw(context.seed);
  context.seed = seed;
  return value;
}

/** Returns the peers of this round: `fanout` living ones, and perhaps a dead one and a seed. */
export function peersOf<Declaration>(context: GossipContext<Declaration>): ReadonlySet<string> {
  const { config, nodes } = context;
  const others = [...nodes.values()].filter(({ name }) => name !== config.member);
  const living = others.filter((node) => mayBeAlive(context, node)).map(({ name }) => name);
  const dead = others.filter((node) => !mayBeAlive(context, node)).map(({ name }) => name);
  const seeds = config.seeds.filter((name) => name !== config.member);
  const triesDead = random(context) < dead.length / (living.length + 1);
  const triesSeed =
    living.length < seeds.length || random(context) < seeds.length / Math.max(1, others.length);
  return new Set([
    ...chosen(context, living, config.fanout),
    ...chosen(context, dead, triesDead ? 1 : 0),
    ...chosen(context, seeds, triesSeed ? 1 : 0),
  ]);
}

/**
 * Returns whether a member seems to live, or became known so recently that it has not had the time
 * to show that it lives.
 */
function mayBeAlive<Declaration>(
  { config, now }: GossipContext<Declaration>,
  node: Node<Declaration>,
): boolean {
  return (
    isAlive(node, now) ||
    (node.pulse === undefined && now - node.lastBeatAt < 4 * config.intervalMs)
  );
}

/** Returns up to `count` different names, chosen at random. */
export function chosen(
  context: Pick<GossipContext<unknown>, 'seed'>,
  names: readonly string[],
  count: number,
): readonly string[] {
  const rest = [...names];
  const found: string[] = [];
  while (found.length < count && rest.length > 0) {
    const index = Math.floor(random(context) * rest.length);
    const name = rest[index];
    const last = rest.pop();
    if (name === undefined || last === undefined) break;
    if (index < rest.length) rest[index] = last;
    found.push(name);
  }
  return found;
}
