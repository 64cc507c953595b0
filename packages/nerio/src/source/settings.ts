import { createHash } from 'node:crypto';
import type { Host, ResolvedOptions } from '@leadership/core/backend';
import type { OwnOptions } from '../options.ts';
import type { Epoch } from '../protocol/electorate.ts';
import { driftRules, type NerioRules, skewRules } from '../protocol/rules.ts';
import type { Self } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';

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
  return joins ? pin : { ...pin, members: inShort(JSON.stringify([members, quorums])) };
}

function inShort(text: string): string {
  return text.length <= pinnedInFull ? text : createHash('sha256').update(text).digest('hex');
}
