// Compares in worlds of gossip what a member knows of the others with the truth (S1 to S3).
import { violation } from '../kernel/judge.ts';
import { forgetThresholds } from './scenario.ts';
import { memberNode, type Node, ownClock, type World } from './world.ts';

type Known = Node['state']['gossip']['nodes'] extends ReadonlyMap<string, infer One> ? One : never;

/** The key that every member writes. Its values grow. */
export const valueKey = 'value';

/** Floating-point error of an estimate. Milliseconds. */
const roundingMs = 1e-6;
/** A dead member is suspected by everybody after this number of P. */
const suspectedThresholds = 8;
/** A dead member is removed everywhere after this number of times the limit. */
const forgottenTimes = 3;

/** Checks everything that a member knows. */
export function judgeRoster(world: World, node: Node): void {
  if (node.state.isRefused) return;
  for (const known of node.state.gossip.nodes.values()) {
    if (known.name === node.config.member) continue;
    const owner = memberNode(world, known.name);
    if (owner.alive) judgeClock(world, node, known, owner);
    else judgeDead(world, node, known, owner);
    if (owner.index < world.scenario.voters) judgeValue(world, node, known);
  }
}

/** S3: the estimate of another member's clock never exceeds that clock. */
function judgeClock(world: World, node: Node, known: Known, owner: Node): void {
  if (owner.state.election.generation !== known.generation) return;
  const { rules, config } = node;
  const elapsedMs = ownClock(node) - known.clockAt;
  const estimate = known.clock + rules.slowed(elapsedMs, config.driftRate);
  const actual = ownClock(owner);
  if (estimate > actual + roundingMs)
    violation(world, 'S3', node, 0, `estimates ${known.name} at ${estimate}, and it is ${actual}`);
}

/** S1, S2: a dead member is suspected, and later removed. */
function judgeDead(world: World, node: Node, known: Known, owner: Node): void {
  const { leaseMs, voters } = world.scenario;
  const deadMs = world.now - owner.stoppedAt;
  const isAlive = known.pulse !== undefined && ownClock(node) < known.pulse.suspectAt;
  if (isAlive && deadMs > suspectedThresholds * leaseMs)
    violation(world, 'S2', node, 0, `regards ${known.name} as alive`);
  if (owner.index >= voters && deadMs > forgottenTimes * forgetThresholds * leaseMs)
    violation(world, 'S1', node, 0, `still knows ${known.name}`);
}

/** S1: what a member knows of one generation never becomes older. */
function judgeValue(world: World, node: Node, known: Known): void {
  const { name, generation, sequence, entries } = known;
  const value = Number(entries.get(valueKey)?.value ?? 0);
  const before = node.seen.get(name);
  if (before?.generation === generation && (value < before.value || sequence < before.sequence))
    violation(world, 'S1', node, 0, `knows less of ${name} than before`);
  node.seen.set(name, { generation, value, sequence });
}
