// The settings of a running member, from its options and from its directory.
import { createHash } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import type { Host, ResolvedOptions } from '@leadership/core/adapter';
import type { OwnOptions } from '../options.ts';
import type { Epoch, EpochMember } from '../protocol/electorate.ts';
import { driftRules, type NerioRules, skewRules } from '../protocol/rules.ts';
import type { Self } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';
import type { StoredState } from './stored-state.ts';

/** All options of a member, complete and validated. */
export interface Settings extends OwnOptions {
  readonly options: ResolvedOptions;
}

/**
 * The ping interval in the ring, as a share of T, so that a member notices a silence while the
 * lease still runs.
 */
const pingShare = 1 / 10;

/** The bytes of names in a pin. With everything else they fit into the 200 bytes of a pinned value. */
const namesPinnedMax = 60;
const hashDigits = 32;

/** Returns the fixed properties of one incarnation. */
export function selfOf(
  { options, roundTripMs, skewMs }: Settings,
  { member, incarnation, random }: Host,
  life: number,
): Self {
  const { partitions, thresholdMs, thresholdMsMax, driftRate } = options;
  return {
    member,
    incarnation,
    life,
    partitions,
    spacingMs: thresholdMs - roundTripMs,
    roundTripMs,
    leaseMsMax: thresholdMsMax,
    driftRate,
    skewMs,
    // An answer counts until the second next ping. With a slower round trip, no member would seem
    // to be alive.
    pingMs: Math.max(thresholdMs * pingShare, 2 * roundTripMs),
    jitter: random(),
  };
}

/** Returns the rules for drifting clocks (N2), or for synchronised clocks (N3). */
export function rulesOf({ skewMs }: Settings): NerioRules {
  return skewMs > 0 ? skewRules : driftRules;
}

/** Returns the first epoch of a group. */
export function firstEpoch({ members, quorums }: Pick<OwnOptions, 'members' | 'quorums'>): Epoch {
  return { number: 0, members, quorums, tokens: [] };
}

/**
 * Returns the values on which all members must agree (R3). A member that joins later need not know
 * the first members of the group.
 */
export function pinOf({ options, members, quorums, joins, skewMs }: Settings): Pin {
  const { partitions, thresholdMsMax } = options;
  const pin = { partitions, thresholdMsMax, skewMs };
  return joins ? pin : { ...pin, members: membersPin({ members, quorums }) };
}

/**
 * Returns the pin with which the state directory was created. It overrides the options (R4).
 * @throws LeadershipError `partitions-differ` if an option differs from the stored value
 */
export function pinKept(settings: Settings, before: StoredState | undefined): Pin {
  const own = pinOf(settings);
  const kept = before?.pin;
  if (before === undefined || kept === undefined) return own;
  for (const [name, value] of Object.entries(own)) {
    if (
      value === kept[name] ||
      (name === 'members' && value === membersPin(before.hardState.epoch))
    )
      continue;
    throw differsFromKept(settings, before, name, value);
  }
  return kept;
}

function differsFromKept(
  { members, stateDirectory }: Settings,
  { hardState, pin }: StoredState,
  name: string,
  own: Pin[string],
): LeadershipError {
  const namesOf = (some: readonly EpochMember[]): string =>
    some.map(({ member }) => member).join(', ');
  const isMembers = name === 'members';
  const here = isMembers ? namesOf(members) : own;
  const there = isMembers ? namesOf(hardState.epoch.members) : pin?.[name];
  const remedy = isMembers
    ? 'The directory wins. Put the option back, and change members with reconfigure()'
    : 'It is fixed while the group runs. Put the option back; or stop every member for (1+ρ)·thresholdMsMax and begin another group';
  return new LeadershipError(
    'partitions-differ',
    `${name}: ${here} in the options, ${there} in stateDirectory ${stateDirectory}. ${remedy}`,
  );
}

/**
 * Returns the pin of the members: as many names as fit, for people, and a hash of everything. Two pins
 * have the same form, whatever their lengths, so that a message can compare them.
 */
function membersPin({ members, quorums }: Pick<OwnOptions, 'members' | 'quorums'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([members, quorums]))
    .digest('hex');
  let names = '';
  for (const { member } of members) {
    const longer = names === '' ? member : `${names}, ${member}`;
    if (Buffer.byteLength(longer) > namesPinnedMax) break;
    names = longer;
  }
  return `${names} (${members.length} members, ${hash.slice(0, hashDigits)})`;
}
