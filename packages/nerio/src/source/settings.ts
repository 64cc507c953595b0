import { createHash } from 'node:crypto';
import { LeadershipError } from '@leadership/core';
import type { Host, ResolvedOptions } from '@leadership/core/backend';
import type { OwnOptions } from '../options.ts';
import type { Epoch, EpochMember } from '../protocol/electorate.ts';
import { driftRules, type NerioRules, skewRules } from '../protocol/rules.ts';
import type { Self } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';
import type { Image } from './image.ts';

/** All options of a member, complete and checked. */
export interface Settings extends OwnOptions {
  readonly options: ResolvedOptions;
}

/** How often a neighbour in the ring is asked for a sign of life, as a share of T: silence is noticed while the lease still runs. */
const pingShare = 1 / 10;

/** Longer lists of members are pinned by a hash. */
const pinnedInFull = 160;

/** What one life of the member is told. */
export function selfOf({ options, roundTripMs, skewMs }: Settings, { member, incarnation, random }: Host, life: number): Self {
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
    // An answer counts until the next question but one: slower, and nobody would seem to live.
    pingMs: Math.max(thresholdMs * pingShare, 2 * roundTripMs),
    jitter: random(),
  };
}

/** By drift alone (N2), or by synchronised clocks (N3). */
export function rulesOf({ skewMs }: Settings): NerioRules {
  return skewMs > 0 ? skewRules : driftRules;
}

/** The epoch a group begins with. */
export function firstEpoch({ members, quorums }: Pick<OwnOptions, 'members' | 'quorums'>): Epoch {
  return { number: 0, members, quorums, tokens: [] };
}

/** What all members must agree on (R3). One that joins later need not know with whom the group began. */
export function pinOf({ options, members, quorums, joins, skewMs }: Settings): Pin {
  const { partitions, thresholdMsMax } = options;
  const pin = { partitions, thresholdMsMax, skewMs };
  return joins ? pin : { ...pin, members: membersPin({ members, quorums }) };
}

/**
 * The pin that the state directory was begun with, which wins over the options (R4).
 * @throws LeadershipError `partitions-differ` where an option differs from what is kept beside it
 */
export function pinKept(settings: Settings, before: Image | undefined): Pin {
  const own = pinOf(settings);
  const kept = before?.pin;
  if (before === undefined || kept === undefined) return own;
  for (const [name, value] of Object.entries(own)) {
    if (value === kept[name] || (name === 'members' && value === membersPin(before.vow.epoch))) continue;
    throw differsFromKept(settings, before, name, value);
  }
  return kept;
}

function differsFromKept({ members, stateDirectory }: Settings, { vow, pin }: Image, name: string, own: Pin[string]): LeadershipError {
  const namesOf = (some: readonly EpochMember[]): string => some.map(({ member }) => member).join(', ');
  const isMembers = name === 'members';
  const here = isMembers ? namesOf(members) : own;
  const there = isMembers ? namesOf(vow.epoch.members) : pin?.[name];
  const remedy = isMembers
    ? 'The directory wins. Put the option back, and change members with reconfigure()'
    : 'It is fixed while the group runs. Put the option back; or stop every member for (1+ρ)·thresholdMsMax and begin another group';
  return new LeadershipError(
    'partitions-differ',
    `${name}: ${here} in the options, ${there} in stateDirectory ${stateDirectory}. ${remedy}`,
  );
}

function membersPin({ members, quorums }: Pick<OwnOptions, 'members' | 'quorums'>): string {
  return inShort(JSON.stringify([members, quorums]));
}

function inShort(text: string): string {
  return text.length <= pinnedInFull ? text : createHash('sha256').update(text).digest('hex');
}
