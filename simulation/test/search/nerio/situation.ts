// The model of the exhaustive search: two candidates, optionally a third voter, one partition, and
// all messages on their way. Clocks are integers. Nothing is random: each step of the search picks
// one of the possible next events.

import type { Moment } from '@leadership/core/internal/engine';
import {
  driftRules,
  type Item,
  type MemberState,
  type NerioInput,
  type NerioRules,
  newMember,
  type Self,
  step,
} from '@leadership/nerio/internal/protocol';
import { epochOf, selfNamed } from '../../../../packages/nerio/test/support/test-members.ts';
import type { Move } from '../../../src/search/explore.ts';

/** A state of the model. Immutable: an event creates another state. */
export interface Situation {
  readonly members: readonly Member[];
  readonly flights: readonly Flight[];
  /**
   * `roundsLeft`: the elections that other members may still receive. `renewalsLeft`: the same for
   * renewals.
   */
  readonly roundsLeft: number;
  readonly renewalsLeft: number;
  readonly copiesLeft: number;
  readonly restartsLeft: number;
  readonly resignsLeft: number;
}

/** One member and its clock. */
export interface Member {
  readonly state: MemberState;
  readonly now: number;
}

/** A message that may arrive now, later or never. */
interface Flight {
  readonly to: number;
  readonly from: { readonly member: string; readonly incarnation: string };
  readonly item: Item;
}

/** The parameters of a search. */
export interface Question {
  readonly rules: NerioRules;
  /** The rate of each member's clock per unit of time; a correct clock has 4. */
  readonly rates: readonly number[];
  readonly rounds: number;
  readonly renewals: number;
  readonly copies: number;
  readonly restarts: number;
  readonly resigns: number;
}

const driftRate = 0.25;
/** δ: two units of real time. */
const leaseMs = 8;
const names = ['a', 'b', 'v'];

/**
 * The protocol with integer times, few messages and no tokens. The replaced rules affect time and
 * order, never exclusivity.
 */
export const paced: NerioRules = {
  ...driftRules,
  leaseMs: () => leaseMs,
  renewAt: (start) => start.at + leaseMs / 2,
  yieldMs: () => leaseMs / 2,
  token: () => 1n,
  outranks: () => true,
};

/** No lease is granted, and every member knows that. */
export function opening({
  rates,
  rounds,
  renewals,
  copies,
  restarts,
  resigns,
}: Question): Situation {
  const members = rates.map((_, index) => ({
    state: { ...newcomer(index, rates.length, 0, 0), mutedUntil: 0 },
    now: 0,
  }));
  return {
    members,
    flights: [],
    roundsLeft: rounds,
    renewalsLeft: renewals,
    copiesLeft: copies,
    restartsLeft: restarts,
    resignsLeft: resigns,
  };
}

/**
 * Each candidate considers the other dead, so that both try; the third member only votes. It has
 * finished learning.
 */
function newcomer(
  index: number,
  count: number,
  life: number,
  now: number,
  rules: NerioRules = paced,
): MemberState {
  const members = names.slice(0, count).map((member, at) => ({ member, stands: at < 2 }));
  const epoch = { ...epochOf(names.slice(0, count)), members };
  const self: Self = selfNamed(names[index] ?? '', {
    life,
    driftRate,
    leaseMsMax: leaseMs,
    spacingMs: leaseMs,
    roundTripMs: 1,
    pingMs: 1e9,
  });
  const started = newMember(rules, self, { hardState: { epoch, wedge: undefined } }, momentAt(now));
  const dead = { lastSignAt: -1e9, meanMs: 1, variance: 1, intervals: 9, suspectAt: -1e9 };
  const peers = started.peers.map((peer) => ({ ...peer, pulse: dead }));
  return {
    ...started,
    learning: undefined,
    peers,
    pingAt: Number.POSITIVE_INFINITY,
    ringDueAt: Number.POSITIVE_INFINITY,
  };
}

function momentAt(now: number): Moment {
  return { now: now as Moment['now'], wallMicros: 0 };
}

/** Whether the member would report leadership now (H5). */
export function leads({ state, now }: Member): boolean {
  const leaseState = state.claims[0]?.leaseState;
  return leaseState !== undefined && leaseState.kind !== 'follower' && now < leaseState.deadline;
}

/**
 * All possible next events. An event that never happens, such as the arrival of a lost message, is
 * a move that is never made.
 */
export function movesFrom(question: Question, situation: Situation): readonly Move<Situation>[] {
  const { members, flights } = situation;
  const later = {
    ...situation,
    members: members.map(({ state, now }, index) => ({
      state,
      now: now + (question.rates[index] ?? 0),
    })),
  };
  return [
    { what: 'time passes', to: later },
    ...members.map((_, index) => ({
      what: `${names[index]} wakes`,
      to: stepped(question, situation, index, { kind: 'wake' }),
    })),
    ...flights.flatMap((flight, index) => arrivals(question, situation, flight, index)),
    ...members.flatMap((_, index) => [
      ...restarts(question, situation, index),
      ...resigns(question, situation, index),
    ]),
  ];
}

function arrivals(
  question: Question,
  situation: Situation,
  flight: Flight,
  index: number,
): readonly Move<Situation>[] {
  const { item, to, from } = flight;
  const input: NerioInput = { kind: 'received', from, epoch: 0, item };
  const gone = { ...situation, flights: situation.flights.filter((_, other) => other !== index) };
  const what = `${names[to]} receives ${item.kind} from ${from.incarnation}`;
  const once = { what, to: stepped(question, gone, to, input) };
  if (situation.copiesLeft === 0) return [once];
  const copied = { ...situation, copiesLeft: situation.copiesLeft - 1 };
  return [once, { what: `${what}, and may again`, to: stepped(question, copied, to, input) }];
}

function restarts(
  { rules }: Question,
  situation: Situation,
  index: number,
): readonly Move<Situation>[] {
  const member = situation.members[index];
  if (situation.restartsLeft === 0 || member === undefined) return [];
  const life = member.state.self.life + 1;
  const state = newcomer(index, situation.members.length, life, member.now, rules);
  const to = withMember({ ...situation, restartsLeft: situation.restartsLeft - 1 }, index, {
    state,
    now: member.now,
  });
  return [{ what: `${names[index]} restarts`, to }];
}

function resigns(
  question: Question,
  situation: Situation,
  index: number,
): readonly Move<Situation>[] {
  const member = situation.members[index];
  if (situation.resignsLeft === 0 || member === undefined || !leads(member)) return [];
  const asked = stepped(question, { ...situation, resignsLeft: situation.resignsLeft - 1 }, index, {
    kind: 'resign',
    partition: 0,
    atLeastMs: 0,
  });
  return [
    {
      what: `${names[index]} resigns`,
      to: stepped(question, asked, index, { kind: 'drained', partition: 0 }),
    },
  ];
}

function withMember(situation: Situation, index: number, member: Member): Situation {
  return {
    ...situation,
    members: situation.members.map((one, other) => (other === index ? member : one)),
  };
}

/** The greatest number of messages on their way: beyond it the oldest is lost. */
const flightsMax = 3;

/**
 * Suppresses rounds that no other member can receive any more: they would only multiply the states.
 */
function resting(rules: NerioRules, { roundsLeft, renewalsLeft }: Situation): NerioRules {
  if (roundsLeft > 0 && renewalsLeft > 0) return rules;
  const mayStart = roundsLeft > 0 ? rules.mayStart : (): boolean => false;
  const renewAt = renewalsLeft > 0 ? rules.renewAt : (): number => Number.POSITIVE_INFINITY;
  return { ...rules, mayStart, renewAt };
}

function stepped(
  { rules: usual }: Question,
  situation: Situation,
  index: number,
  input: NerioInput,
): Situation {
  const member = situation.members[index];
  if (member === undefined) throw new Error('the member does not exist');
  const rules = resting(usual, situation);
  const { state, outputs } = step(rules, member.state, input, momentAt(member.now));
  let after = withMember(situation, index, { state, now: member.now });
  const from = { member: state.self.member, incarnation: state.self.incarnation };
  for (const output of outputs)
    if (output.kind === 'send' && isTelling(output.item))
      after = sent(after, from, output.to, output.item);
  return after;
}

/** Whether the message matters to safety: refusals only make a candidate give up sooner. */
function isTelling({ kind }: Item): boolean {
  return kind === 'grant-request' || kind === 'ok' || kind === 'release';
}

function sent(situation: Situation, from: Flight['from'], to: number, item: Item): Situation {
  const paid =
    item.kind === 'grant-request' ? payFor(situation, item.standing === 'claiming') : situation;
  if (paid === undefined) return situation;
  const flights = paid.members.flatMap((_, index) =>
    (to & (1 << index)) === 0 ? [] : [{ to: index, from, item }],
  );
  return { ...paid, flights: [...paid.flights, ...flights].slice(-flightsMax) };
}

function payFor(situation: Situation, isElection: boolean): Situation | undefined {
  const { roundsLeft, renewalsLeft } = situation;
  if ((isElection ? roundsLeft : renewalsLeft) === 0) return undefined;
  return isElection
    ? { ...situation, roundsLeft: roundsLeft - 1 }
    : { ...situation, renewalsLeft: renewalsLeft - 1 };
}

/** Two candidates without a third voter, the first clock slow, and two elections. */
export const two: Question = {
  rules: paced,
  rates: [3, 5],
  rounds: 2,
  renewals: 0,
  copies: 0,
  restarts: 0,
  resigns: 0,
};

/** The same with a third voter, so that each candidate has a quorum without the other. */
export const three: Question = { ...two, rates: [3, 5, 5] };
