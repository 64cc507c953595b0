// The options of Nerio: their types, defaults and checks.
import type { SourceOptions } from '@leadership/core';
import { check, type ResolvedOptions } from '@leadership/core/adapter';
import { show } from '@leadership/core/internal/engine';
import { callGuarded } from '@leadership/peer';
import { type EpochMember, faultInEpoch } from './protocol/electorate.ts';
import type { QuorumSpec } from './protocol/quorums.ts';
import { faultInShape } from './quorum-shape.ts';
import type { OpenTransport } from './transport/transport.ts';

/** The options of {@link nerioLeadership}. */
export interface NerioOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /** The name of this member, as in `members`. */
  readonly member: string;
  /**
   * The members with which the group began, in ring order: the same list at every member, for as
   * long as the group runs. `{ member, votes: false }` may lead but does not vote;
   * `{ member, stands: false }` votes but does not lead; a plain name does both.
   */
  readonly members: readonly (string | EpochMember)[];
  /** The sets of voters that are enough to elect a leader. Default: more than half of them. */
  readonly quorums?: QuorumSpec;
  /**
   * Whether this member is to become a member: it is not in `members`, contacts those members, and
   * waits until `reconfigure` adds it. Default `false`.
   */
  readonly joins?: boolean;
  /**
   * d, the shortest round trip that the protocol assumes (N10). Milliseconds. Default: a twentieth
   * of `thresholdMs`.
   */
  readonly roundTripMs?: number;
  /**
   * Δ, the largest difference between the wall clocks of two members. If given, wall clocks measure
   * the leases (N3). Milliseconds. Default: monotonic clocks measure them.
   */
  readonly skewMs?: number;
  /**
   * The directory for state that must survive a restart. It is required to take part in a change of
   * members (N13). A member that had one must not start without it.
   */
  readonly stateDirectory?: string;
  /**
   * How a voter starts (N4). `mute`: it grants nothing until its earlier grants have expired.
   * `state`: it reads its earlier grants from `stateDirectory` and grants at once. Default: `state`
   * with a `stateDirectory`, otherwise `mute`.
   */
  readonly restart?: 'mute' | 'state';
  /**
   * Whether `stateDirectory` was lost, or restored from an older copy. The member takes part again
   * after the next change of members. It stores this on disk. Default `false`.
   */
  readonly stateLost?: boolean;
  /**
   * Allows members on other hosts without keys or TLS, like `tcpTransport({ insecure: true })`:
   * every host that reaches the port may vote. Default `false`.
   */
  readonly insecure?: boolean;
  /**
   * The connection between members. Default: TCP on this host only, where a member's name is the
   * `HOST:PORT` at which it listens.
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
    'stateLost applies only to a stateDirectory; set stateDirectory, or remove stateLost',
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

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
