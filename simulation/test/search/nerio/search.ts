// Two states are equal if no future event can distinguish them. So instants are relative to the
// clock from which they were read, and the age of anything that ended long ago is ignored.

import type { Claim, Grant, Item, Start } from '@leadership/nerio/internal/protocol';
import { type Explored, explore } from '../../../src/search/explore.ts';
import {
  leads,
  type Member,
  movesFrom,
  opening,
  type Question,
  type Situation,
} from './situation.ts';

/** The result of a search. */
export interface Answer extends Pick<Explored<unknown>, 'states' | 'exhausted'> {
  /** The shortest history after which two members lead at once; `undefined` if there is none. */
  readonly doubleLed: readonly string[] | undefined;
}

/** Explores all histories, shortest first, until two members lead at once. */
export function search(question: Question, statesMax: number): Answer {
  const { wrong, ...seen } = explore<Situation>(
    {
      initialState: opening(question),
      movesFrom: (situation) => movesFrom(question, situation),
      keyOf,
      isWrong: ({ members }) => members.filter(leads).length > 1,
    },
    statesMax,
  );
  const doubleLed = wrong?.map(
    ({ what, to: { members } }) => `${members.map(({ now }) => now).join('/')} ${what}`,
  );
  return { ...seen, doubleLed };
}

/** The age in milliseconds from which no grant or request has an effect. */
const over = 24;

function keyOf({ members, flights, ...left }: Situation): string {
  const clocks = new Map(members.map(({ state, now }) => [state.self.incarnation, now]));
  const startKey = (start: Start): string => {
    const now = clocks.get(start.incarnation);
    return now === undefined
      ? `${start.incarnation}?`
      : `${start.incarnation}${Math.max(start.at - now, -over)}.${start.count}`;
  };
  const itemKey = (item: Item): string => {
    if (item.kind === 'grant-request')
      return `${startKey(item.start)}${item.standing}#${item.token}`;
    return item.kind === 'ok' || item.kind === 'release' ? startKey(item.start) : '';
  };
  const reported = flights
    .map(({ to, from, item }) => `${to}<${from.incarnation}${item.kind}${itemKey(item)}`)
    .sort();
  return [
    ...members.map((member) => memberKey(member, startKey)),
    reported.join(';'),
    Object.values(left).join(),
  ].join('|');
}

function memberKey({ state, now }: Member, startKey: (start: Start) => string): string {
  const [grant, claim] = [state.grants[0], state.claims[0]];
  if (grant === undefined || claim === undefined) throw new Error('the partition does not exist');
  const due = (at: number): number => Math.min(Math.max(at - now, 0), over);
  return [
    state.self.incarnation,
    due(state.mutedUntil),
    grantKey(grant, due, startKey),
    claimKey(claim, due, startKey),
  ].join(',');
}

type Due = (at: number) => number;

function grantKey(
  { holder, until, start, released, queue, token, tokenBy, isLeaving, leader, leaderUntil }: Grant,
  due: Due,
  startKey: (start: Start) => string,
): string {
  const held =
    holder === undefined
      ? '-'
      : `${holder.incarnation}${due(until)}${startKey({ ...start, incarnation: holder.incarnation })}`;
  const waiting = queue.map(
    ({ request, arrivedAt }) => `${startKey(request.start)}${due(arrivedAt + request.leaseMs)}`,
  );
  const led =
    leader !== undefined && due(leaderUntil) > 0 ? `${leader.incarnation}${due(leaderUntil)}` : '';
  return [
    held,
    isLeaving,
    led,
    released.map((one) => startKey(one.start)),
    waiting,
    token,
    tokenBy,
  ].join(' ');
}

function claimKey(
  { leaseState, round, lastStart, renewAt, yieldUntil, abstainUntil, ownToken }: Claim,
  due: Due,
  startKey: (start: Start) => string,
): string {
  const led =
    leaseState.kind === 'follower'
      ? ''
      : `${leaseState.kind}${due(leaseState.deadline)}${leaseState.hasDrained}${due(leaseState.announcedBy)}#${leaseState.token}`;
  const asked =
    round === undefined
      ? ''
      : `${startKey(round.request.start)}${round.granted}${due(round.retryAt)}/${due(round.giveUpAt)}#${round.request.token}${round.rival}`;
  return [
    led,
    asked,
    lastStart === undefined ? '' : startKey(lastStart),
    due(renewAt),
    due(yieldUntil),
    due(abstainUntil),
    ownToken,
  ].join(' ');
}
