// Changes the members and the quorum system of a simulated Nerio group at random, as an operator
// would.
import {
  type Epoch,
  type EpochMember,
  electorateOf,
  type QuorumSpec,
} from '@leadership/nerio/internal/protocol';
import { happens, pick } from '../kernel/random.ts';
import { membersWho, willBeBindable } from './forgetting.ts';
import { nameOf, type World } from './world.ts';

type Next = Pick<Epoch, 'members' | 'quorums'>;

/**
 * Returns a random next epoch, if members with an intact directory form a quorum in it. Without
 * such a quorum the epoch could never end.
 */
export function nextOf(world: World): Next | undefined {
  const next = anyNext(world);
  const { quorums, names } = electorateOf({ number: 0, tokens: [], ...next });
  return quorums.holds(membersWho(world, names, willBeBindable)) ? next : undefined;
}

/** Returns a random next epoch. Members may be new, lack a vote, or not stand for election. */
export function anyNext({ random, nodes, scenario }: World): Next {
  const least = Math.max(2, scenario.nodes - 2);
  const count = Math.min(nodes.length, least + Math.floor(random.next() * 3));
  const names = nodes.map((_, index) => nameOf(index));
  const members: EpochMember[] = [];
  while (members.length < count) {
    const member = pick(random, names);
    if (members.some((one) => one.member === member)) continue;
    const isPlain = members.length < 3 || !happens(random, scenario.lesserShare);
    const lesser = pick(random, [{ votes: false }, { stands: false }]);
    members.push(isPlain ? { member } : { member, ...lesser });
  }
  const voters = members.filter(({ votes }) => votes !== false).map(({ member }) => member);
  return { members, quorums: pick(random, quorumsFor(voters)) };
}

function quorumsFor(voters: readonly string[]): readonly QuorumSpec[] {
  const weights = Object.fromEntries(voters.map((name, index) => [name, index === 0 ? 2 : 1]));
  const [first = '', ...others] = voters;
  const sets = [others, ...others.map((other) => [first, other])];
  const majority: QuorumSpec = { kind: 'majority' };
  return [majority, majority, { kind: 'weights', weights }, { kind: 'sets', sets }];
}
