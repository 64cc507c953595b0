// Decides which Nerio members of a world may lose their memory or their directory, so that the
// group can still compensate.
import {
  type Epoch,
  electorateOf,
  type HardState,
  type Members,
  meetsEveryQuorum,
} from '@leadership/nerio/internal/protocol';
import { keepsHardState } from './disk.ts';
import { memberNode, type Node, type World } from './world.ts';

/** Returns whether the memory of the other members compensates for the memory of this one (N16). */
export function mayForget(world: World, node: Node): boolean {
  if (world.scenario.mayForgetAll) return true;
  const { electorate } = node.state;
  const remembering = membersWho(
    world,
    electorate.names,
    (other) => other !== node && remembers(other),
  );
  return meetsEveryQuorum(electorate.quorums, remembering);
}

/** Returns the set of the named members for which `holds` returns true. */
export function membersWho(
  world: World,
  names: readonly string[],
  holds: (node: Node) => boolean,
): Members {
  return names.reduce(
    (set, name, index) => (holds(memberNode(world, name)) ? set | (1 << index) : set),
    0,
  );
}

/**
 * Returns whether the other members could still end the current epoch, and any pending one, if this
 * member lost its hard state.
 */
export function mayLose(world: World, node: Node): boolean {
  if (!keepsHardState(node)) return false;
  return [world.epoch, ...pending(world)].every((epoch) => {
    const { quorums, names, number } = electorateOf(epoch);
    const canEnd = (other: Node): boolean =>
      other !== node &&
      keepsHardState(other) &&
      !isBarred(other, number) &&
      knows(other, world.epoch);
    return quorums.holds(membersWho(world, names, canEnd));
  });
}

/** Returns whether the member would know the epoch after a restart. */
function knows({ disk: { hardState } }: Node, { number }: Epoch): boolean {
  return hardState.epoch.number >= number;
}

/** Returns the epochs that are proposed to follow the current one, including proposals on disk. */
function pending({ nodes, epoch: { number } }: World): readonly Epoch[] {
  const wanted = nodes.flatMap(({ state: { proposal, pendingWedge, wedge }, disk }) => [
    ...[proposal?.next, proposal?.accepting, pendingWedge?.next],
    ...wantedBy(wedge),
    ...wantedBy(disk.hardState.wedge),
  ]);
  return wanted.filter((epoch) => epoch !== undefined).filter((one) => one.number === number + 1);
}

function wantedBy(wedge: HardState['wedge']): readonly (Epoch | undefined)[] {
  return [wedge?.proposed, wedge?.accepted?.next];
}

/** Returns whether the member, in a later epoch, could help to end that epoch. */
export function willBeBindable(node: Node): boolean {
  return keepsHardState(node) && !isBarred(node, Number.POSITIVE_INFINITY);
}

function isBarred({ disk }: Node, epoch: number): boolean {
  return disk.saidLost || epoch <= (disk.hardState.lostThrough ?? -1);
}

function remembers({ alive, disk, state, rules, clock }: Node): boolean {
  if (!alive) return disk.memory !== undefined && !disk.saidLost;
  return state.learning === undefined && rules.clock(clock.moment()) >= state.mutedUntil;
}
