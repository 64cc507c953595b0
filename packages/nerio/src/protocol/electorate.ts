// The members that vote and that may lead, in one epoch: from one change of members to the next.
import { firstMembers, type Members, membersMax, only } from './members.ts';
import { faultInQuorums, type QuorumSpec, type Quorums, quorumsOf } from './quorums.ts';

/** One member of an epoch. A voter grants leases; a candidate requests them. */
export interface EpochMember {
  /** The name of the member. */
  readonly member: string;
  /** Default `true`. */
  readonly votes?: boolean;
  /** Default `true`. */
  readonly stands?: boolean;
}

/**
 * A fixed set of members and their quorum system (N13). Plain data: members send it and write it to
 * disk.
 */
export interface Epoch {
  /** Counts from 0. */
  readonly number: number;
  /** In ring order. */
  readonly members: readonly EpochMember[];
  /** The sets of voters that can grant. */
  readonly quorums: QuorumSpec;
  /** By partition: the greatest token of any earlier epoch. */
  readonly tokens: readonly bigint[];
}

/** An epoch in the form that the protocol computes with: members are indices. */
export interface Electorate {
  readonly epoch: Epoch;
  readonly number: number;
  readonly names: readonly string[];
  readonly all: Members;
  readonly voters: Members;
  readonly candidates: Members;
  readonly quorums: Quorums;
}

/** Computes the sets of an epoch. The epoch must be valid: see `faultInEpoch`. */
export function electorateOf(epoch: Epoch): Electorate {
  const { members, quorums, number } = epoch;
  const names = members.map(({ member }) => member);
  const voters = setOf(members, ({ votes }) => votes !== false);
  const candidates = setOf(members, ({ stands }) => stands !== false);
  return {
    epoch,
    number,
    names,
    all: firstMembers(names.length),
    voters,
    candidates,
    quorums: quorumsOf(quorums, names, voters),
  };
}

/**
 * Whether both are the same epoch. The content decides, because copies arrive from different
 * members.
 */
export function isSameEpoch(a: Epoch, b: Epoch): boolean {
  return a === b || (a.number === b.number && textOf(a) === textOf(b));
}

function textOf({ members, quorums, tokens }: Epoch): string {
  const rights = members.map(({ member, votes = true, stands = true }) => [member, votes, stands]);
  return JSON.stringify([rights, quorums, tokens.map(String)]);
}

/** Returns the fault of an epoch; `undefined` if it can elect a leader and never two at once. */
export function faultInEpoch({ members, quorums, number }: Epoch): string | undefined {
  const names = members.map(({ member }) => member);
  if (!Number.isSafeInteger(number) || number < 0)
    return `an epoch cannot have the number ${number}`;
  if (names.length === 0 || names.length > membersMax)
    return `an epoch has 1 to ${membersMax} members, not ${names.length}`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `"${twice}" is a member twice`;
  const voters = setOf(members, ({ votes }) => votes !== false);
  if (voters === 0) return `none of the ${names.length} members votes`;
  if (members.every(({ stands }) => stands === false))
    return `none of the ${names.length} members is a candidate`;
  return faultInQuorums(quorums, names, voters);
}

function setOf(
  members: readonly EpochMember[],
  belongs: (member: EpochMember) => boolean,
): Members {
  return members.reduce((set, member, index) => (belongs(member) ? set | only(index) : set), 0);
}
