import { LeadershipError, type SourceOptions } from '@leadership/core';
import type { LeadershipAddress, ResolvedOptions } from '@leadership/core/adapter';
import { type EpochMember, faultInEpoch } from './protocol/electorate.ts';
import type { QuorumSpec } from './protocol/quorums.ts';
import { faultInShape } from './quorum-shape.ts';
import { callGuarded } from './transport/guarded-callback.ts';
import type { OpenTransport } from './transport/transport.ts';

/** The options of {@link nerioLeadership}. */
export interface NerioOptions extends SourceOptions {
  /** The members that contend for the same roles. */
  readonly group: string;
  /** This member, by its name in `members`. */
  readonly member: string;
  /**
   * With whom the group began, in ring order: the same list at all of them, for as long as the
   * group runs. A name alone votes and stands.
   */
  readonly members: readonly (string | EpochMember)[];
  /** Which sets of voters are enough to lead. Default: more than half of them. */
  readonly quorums?: QuorumSpec;
  /**
   * This member is none of `members`: it waits until `reconfigure` makes it one. `members` are whom
   * it asks. Default `false`.
   */
  readonly joins?: boolean;
  /**
   * d, the shortest round trip to plan for (N10). Milliseconds. Default: a twentieth of
   * `thresholdMs`.
   */
  readonly roundTripMs?: number;
  /**
   * Δ, how far two members' wall clocks differ at most. Given, leases are measured by those (N3).
   * Milliseconds. Default: by drift alone.
   */
  readonly skewMs?: number;
  /**
   * Where this member keeps what it must not forget: needed to take part in a change of members
   * (N13). One that had it must not do without.
   */
  readonly stateDirectory?: string;
  /**
   * How a voter starts (N4). `mute`: it grants nothing for as long as its grants of
   * before may hold. `state`: it has them in `stateDirectory`, each written before it was answered,
   * and grants at once. Default: `state` with a `stateDirectory`, else `mute`.
   */
  readonly restart?: 'mute' | 'state';
  /**
   * `stateDirectory` was lost, or put back from an older copy: the member takes part again from the
   * next change of members on. Kept on disk from then on. Default `false`.
   */
  readonly stateLost?: boolean;
  /**
   * `tcpTransport({ insecure: true })` as the transport: everyone who reaches the port may vote.
   * Default `false`.
   */
  readonly insecure?: boolean;
  /**
   * How members speak with each other. Default: over TCP on this host alone, where a member's name
   * is the `HOST:PORT` at which it listens.
   */
  readonly transport?: OpenTransport;
}

/** The own options, complete and checked. */
export interface OwnOptions {
  readonly members: readonly EpochMember[];
  readonly quorums: QuorumSpec;
  readonly joins: boolean;
  readonly roundTripMs: number;
  readonly skewMs: number;
  readonly stateDirectory: string | undefined;
  readonly restart: 'mute' | 'state';
  readonly stateLost: boolean;
}

/** The lower bound of the planned round trip, as a share of T. */
const roundTripShare = 1 / 20;
const restarts: readonly string[] = ['mute', 'state'];

/**
 * Checks the options that only Nerio has.
 * @throws LeadershipError `invalid-options`
 */
export function resolveOwn(
  options: Partial<NerioOptions>,
  { member, thresholdMs }: ResolvedOptions,
): OwnOptions {
  const {
    quorums = { kind: 'majority' },
    joins = false,
    stateDirectory,
    stateLost = false,
  } = options;
  const { restart = stateDirectory === undefined ? 'mute' : 'state' } = options;
  const { roundTripMs = thresholdMs * roundTripShare, skewMs = 0 } = options;
  const members = resolveMembers(options.members, quorums);
  checkPlace(member, members, joins);
  checkTimes({ thresholdMs, roundTripMs, skewMs });
  check(
    restarts.includes(restart),
    `restart ${show(restart)} must be one of ${restarts.join(', ')}`,
  );
  check(
    stateDirectory === undefined || (typeof stateDirectory === 'string' && stateDirectory !== ''),
    'stateDirectory must be a path',
  );
  check(
    restart === 'mute' || stateDirectory !== undefined,
    'restart "state" needs a stateDirectory to keep the state in',
  );
  for (const [name, word] of Object.entries({ joins, stateLost }))
    check(typeof word === 'boolean', `${name} ${show(word)} must be true or false`);
  check(
    !stateLost || stateDirectory !== undefined,
    'stateLost is said of a stateDirectory: there is none',
  );
  return { members, quorums, joins, roundTripMs, skewMs, stateDirectory, restart, stateLost };
}

/**
 * The members as an epoch has them.
 * @throws LeadershipError `invalid-options` where they could elect no member, or two
 */
export function resolveMembers(members: unknown, quorums: QuorumSpec): readonly EpochMember[] {
  check(
    Array.isArray(members) && members.length > 0,
    'members must be a list of names, as in ["a.example:7400", "b.example:7400"]',
  );
  const resolved = (members as readonly unknown[]).map(resolveMember);
  const misshapen = faultInShape(quorums);
  check(misshapen === undefined, `${misshapen}`);
  const fault = faultInEpoch({ number: 0, members: resolved, quorums, tokens: [] });
  check(fault === undefined, `members cannot elect: ${fault}`);
  return resolved;
}

/** The longest name of a member, in characters: as for every source. */
const nameLengthMax = 200;

function resolveMember(given: unknown): EpochMember {
  const one = typeof given === 'string' ? { member: given } : (given as EpochMember);
  const isNamed =
    typeof one?.member === 'string' && one.member !== '' && one.member.length <= nameLengthMax;
  check(
    isNamed,
    `members must be named: ${show(one?.member ?? given)} is not a name of 1 to ${nameLengthMax} characters`,
  );
  const { member, votes, stands } = one;
  check(
    [votes, stands].every((word) => word === undefined || typeof word === 'boolean'),
    `votes and stands of "${member}" must be true or false`,
  );
  return { member, ...(votes === false && { votes }), ...(stands === false && { stands }) };
}

function checkPlace(member: string, members: readonly EpochMember[], joins: boolean): void {
  const names = members.map((one) => one.member);
  const isOne = names.includes(member);
  if (joins)
    check(!isOne, `member "${member}" joins, but is one of members already: ${names.join(', ')}`);
  else
    check(
      isOne,
      `member "${member}" is none of members: ${names.join(', ')}; one that is to become a member joins: true`,
    );
}

function checkTimes({
  thresholdMs,
  roundTripMs,
  skewMs,
}: Pick<OwnOptions, 'roundTripMs' | 'skewMs'> & { readonly thresholdMs: number }): void {
  check(
    isAmount(roundTripMs) && roundTripMs > 0,
    `roundTripMs ${show(roundTripMs)} must be a number of milliseconds above 0`,
  );
  check(
    isAmount(skewMs) && skewMs >= 0,
    `skewMs ${show(skewMs)} must be a number of milliseconds from 0 up`,
  );
  check(
    thresholdMs > 2 * roundTripMs + skewMs,
    `thresholdMs ${thresholdMs} must exceed 2 × roundTripMs ${roundTripMs}${skewMs > 0 ? ` + skewMs ${skewMs}` : ''}: a lease is renewed while it runs`,
  );
}

/**
 * Every member must be able to listen, and to call the others.
 * @throws LeadershipError `invalid-options`
 */
export function checkTransport(
  transport: OpenTransport,
  member: string,
  members: readonly EpochMember[],
): void {
  check(
    typeof transport === 'function',
    `transport ${show(transport)} must be made by tcpTransport, or be a function that opens one`,
  );
  const names = members.map((one) => one.member);
  const found = callGuarded('fault', () => transport.fault?.(member, names));
  const sentence = found instanceof Error ? found.message : found;
  check(sentence === undefined, `transport: ${sentence}`);
}

/**
 * The members and the group that `nerio://HOST,HOST/GROUP` names.
 * @throws LeadershipError `invalid-options` where it names no members
 */
export function placeIn({ hosts, path }: LeadershipAddress): {
  readonly members: readonly string[];
  readonly group: string | undefined;
} {
  check(
    hosts.length > 0,
    'a nerio: URL must name the members, as in nerio://a.example:7400,b.example:7400/billing?member=a.example:7400',
  );
  const group = path.replace(/^\//, '');
  return { members: hosts, group: group === '' ? undefined : group };
}

/**
 * The member, which a URL has to name: the host name that others default to is none of the members.
 * @throws LeadershipError `invalid-options`
 */
export function checkMember(
  member: string | undefined,
  hosts: readonly string[],
): asserts member is string {
  const [first = 'a.example:7400'] = hosts;
  check(
    member !== undefined,
    `member is missing: say which of the hosts this process is, as in ?member=${first}`,
  );
}

/**
 * The group that the URL's path names, and the one that its query or the options do, must be one.
 * @throws LeadershipError `invalid-options`
 */
export function checkGroup(named: string | undefined, group: string): void {
  check(
    named === undefined || named === group,
    `group is "${named}" in the URL's path, but "${group}" beside it`,
  );
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
