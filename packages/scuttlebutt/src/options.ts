// The options of the gossip backend: their types, defaults and checks. Rule numbers such as S6:
// docs/reference/rules.md.

import { createHash } from 'node:crypto';
import type { SourceOptions } from '@leadership/core';
import { check, type ResolvedOptions } from '@leadership/core/adapter';
import { show } from '@leadership/core/internal/engine';
import { fanoutMeasured, thresholdMsMin } from './protocol/durations.ts';
import { nameBytesMax } from './protocol/gossip/plausible.ts';
import type { MemberConfig } from './protocol/state.ts';
import type { OpenGossip } from './transport/transport.ts';

/** The options of {@link scuttlebuttLeadership}. */
export interface ScuttlebuttOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /** The name of this member: with the default transport the `HOST:PORT` at which it listens. */
  readonly member: string;
  /**
   * The members whose majority elects the leaders: the same list at every member, for as long as
   * the group runs. Any member may lead, also one that does not vote.
   */
  readonly voters: readonly string[];
  /** Members that a member contacts when it starts, besides the voters. Default: none. */
  readonly seeds?: readonly string[];
  /** The greatest number of members for which T must be long enough (S6). Default 100. */
  readonly membersMax?: number;
  /**
   * The interval between rounds of gossip. Milliseconds. Default: so that a change reaches
   * `membersMax` members in half of `thresholdMs`.
   */
  readonly intervalMs?: number;
  /** The number of living members with which a member exchanges in every round. Default 3. */
  readonly fanout?: number;
  /**
   * Allows members on other hosts without keys, like `udpTransport({ insecure: true })`: every host
   * that reaches the port may vote. Default `false`.
   */
  readonly insecure?: boolean;
  /**
   * The connection between members. Default: UDP on this host only, where a member's name is the
   * `HOST:PORT` at which it listens.
   */
  readonly transport?: OpenGossip;
}

/** The own options, complete and checked. */
export interface Settings {
  readonly options: ResolvedOptions;
  readonly voters: readonly string[];
  readonly seeds: readonly string[];
  readonly membersMax: number;
  readonly intervalMs: number;
  readonly fanout: number;
}

const membersMaxDefault = 100;
/** The default of the interval leaves this part of the time that S6 permits. */
const spareShare = 1 / 2;
/** Voters renew their votes this often during T, unless the rounds are more frequent. */
const renewalsPerThreshold = 10;
/**
 * Other voters may renew only ten times in `thresholdMsMax`. A member that relies on a vote for less
 * than two renewals would lose its terms whenever one message is lost.
 */
const thresholdMsRatioMax = 5;
/** The most voters: each declares its answers to all others. */
const votersMax = 31;

/**
 * Checks the options that only this backend has.
 * @throws LeadershipError `invalid-options`
 */
export function resolveOwn(given: ScuttlebuttOptions, options: ResolvedOptions): Settings {
  const { voters, seeds = [], membersMax = membersMaxDefault, fanout = fanoutMeasured } = given;
  checkNames('voters', voters);
  checkNames('seeds', seeds);
  checkNames('member', [options.member]);
  check(voters.length > 0, 'voters must name at least one member, as in ["a.example:7400"]');
  check(
    voters.length <= votersMax,
    `voters are ${voters.length}, and must be at most ${votersMax}: other members take part without a vote`,
  );
  const { thresholdMs, thresholdMsMax } = options;
  check(
    thresholdMs * thresholdMsRatioMax >= thresholdMsMax,
    `thresholdMs ${thresholdMs} must be at least ${thresholdMsMax / thresholdMsRatioMax}, a fifth of thresholdMsMax ${thresholdMsMax}: voters with that value renew their votes too rarely for a shorter one`,
  );
  checkCount('membersMax', membersMax);
  checkCount('fanout', fanout);
  const perInterval = thresholdMsMin({ intervalMs: 1, fanout }, membersMax);
  const { intervalMs = (options.thresholdMs / perInterval) * spareShare } = given;
  check(
    Number.isFinite(intervalMs) && intervalMs > 0,
    `intervalMs ${show(intervalMs)} must be a number of milliseconds above 0`,
  );
  const least = Math.ceil(perInterval * intervalMs);
  check(
    options.thresholdMs >= least,
    `thresholdMs ${options.thresholdMs} must be at least ${least}: with intervalMs ${intervalMs} and fanout ${fanout}, votes need that long to cross a group of ${membersMax} members. Raise thresholdMs or fanout, or lower intervalMs or membersMax`,
  );
  return {
    options,
    membersMax,
    intervalMs,
    fanout,
    voters: [...voters].sort(),
    seeds: [...new Set([...voters, ...seeds])],
  };
}

/**
 * Checks the transport, and whether it can be used between these members.
 * @throws LeadershipError `invalid-options`
 */
export function checkTransport(
  transport: OpenGossip,
  { member, insecure, transport: given }: ScuttlebuttOptions,
  configured: readonly string[],
): void {
  check(
    insecure === undefined || given === undefined,
    'insecure is said of the default transport: give it to udpTransport instead',
  );
  check(
    typeof transport === 'function',
    'transport must be made by udpTransport, or be a function that opens one',
  );
  const fault = transport.fault?.(member, configured);
  check(fault === undefined, `transport: ${fault}`);
}

/** A silent member is forgotten after this time, or after some T if that is longer. Milliseconds. */
const forgetAfterMsMin = 60_000;
const forgetAfterThresholds = 10;
const digestsMax = 8;
/** The keys of a member, with those of its metadata. */
export const keysMax = 64;

/** Returns the configuration of the machine. `budget` is the payload of a datagram. */
export function configOf(settings: Settings, budget: number): MemberConfig {
  const { options, voters, seeds, membersMax, intervalMs, fanout } = settings;
  const { member, partitions, thresholdMs: beliefMs, thresholdMsMax: thresholdMs } = options;
  const { driftRate } = options;
  const forgetAfterMs = Math.max(forgetAfterMsMin, forgetAfterThresholds * thresholdMs);
  return {
    member,
    voters,
    seeds,
    partitions,
    driftRate,
    intervalMs,
    fanout,
    budget,
    thresholdMs,
    beliefMs,
    isCandidate: true,
    electionMs: Math.min(intervalMs, beliefMs / renewalsPerThreshold),
    digestsMax,
    forgetAfterMs,
    tombstoneMs: forgetAfterMs / 2,
    keysMax,
    // Restarted members have new names in some deployments: the old ones are not forgotten at once.
    nodesMax: 2 * membersMax + seeds.length,
    pin: pinOf(settings),
  };
}

/** The characters of a pin on the wire. */
const pinDigits = 32;

/** The values on which all members must agree (R3), in short. */
export function pinOf({ options, voters }: Settings): string {
  const { partitions, thresholdMsMax, driftRate } = options;
  const text = JSON.stringify([voters, partitions, thresholdMsMax, driftRate]);
  return createHash('sha256').update(text).digest('hex').slice(0, pinDigits);
}

function checkNames(option: string, names: unknown): asserts names is readonly string[] {
  check(Array.isArray(names), `${option} must be a list of names, as in ["a.example:7400"]`);
  for (const name of names as readonly unknown[])
    check(
      typeof name === 'string' && name !== '' && Buffer.byteLength(name) <= nameBytesMax,
      `${option}: ${show(name)} is not a name of 1 to ${nameBytesMax} bytes`,
    );
  check(
    new Set(names).size === names.length,
    `${option} must be different names: ${names.join(', ')}`,
  );
}

function checkCount(option: string, count: unknown): void {
  check(
    Number.isSafeInteger(count) && Number(count) >= 1,
    `${option} ${show(count)} must be a whole number from 1 up`,
  );
}
