// The actions that a member of the ledger lease may take, by the text of the rules
// (docs/reference/rules.md): the simulation checks each of its steps against them. Each action has
// guards: plain functions, named by the number of their rule. An action whose guards do not all
// hold contradicts the rules.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerOutput, MemberConfig } from '@leadership/core/internal/ledger';
import { holderOf, type LeaseRequest, type LedgerRecord } from '@leadership/core/internal/ledger';
import { type Action as CommonAction, Guards } from './guards.ts';
import { type Ending, heightAfter, type Knowledge, leavesRoom } from './knowledge.ts';
import type { ObservedStep } from './relation.ts';

/** The step in which an action occurs, and what the member knows by then. */
export interface Situation extends Omit<ObservedStep, 'outputs' | 'wakeAt'> {
  readonly known: Knowledge;
}

type Action<Subject> = CommonAction<Situation, Subject>;

/** The guards of the ledger lease. */
export const guards: Guards<Situation> = new Guards<Situation>();

type Output<Kind extends LedgerOutput['kind']> = LedgerOutput & { readonly kind: Kind };

// ── Belief ──

/** Believes until a deadline, by the record in effect. */
export const believes: Action<Output<'granted'>> = guards.action('believes', {
  'L2 holds the lease by the record in effect': ({ known }) => known.isHolder,
  'T1 the token leaves room for later ones': ({ wallMicros }, { token }) =>
    leavesRoom(token, wallMicros),
  'T3 the token is that of the record': ({ known }, { token }) => token === known.effect?.token,
  'H4 the deadline has not passed': ({ now }, { until }) => now < until,
});

/** Believes by a record that it wrote. */
export const believesByWriting: Action<Output<'granted'>> = guards.action('believesByWriting', {
  'L3 counts T(1 − ρ) from before it sent the attempt that took effect': (
    { known },
    { until, sentAt },
  ) => {
    const attempt = known.sent.find(({ id }) => id === known.effect?.id);
    return attempt?.at === sentAt && until === known.believedUntil(sentAt);
  },
});

/** Believes by a release that names its request. */
export const believesByRequest: Action<Output<'granted'>> = guards.action('believesByRequest', {
  'L7 counts the T of the release from before it sent the request': (
    { known },
    { until, sentAt },
  ) => {
    const request = known.asked.find(({ id }) => id === known.effect?.to?.requestId);
    return request?.at === sentAt && until === known.believedUntil(sentAt);
  },
});

/** Begins a term. */
export const begins: Action<Output<'granted'>> = guards.action('begins', {
  'T3 the token exceeds those of earlier terms': ({ known }, { token }) => token > known.ledToken,
  'L9 it wants the lease': ({ known }) => known.isWanted,
});

/** Prolongs its term. */
export const prolongs: Action<Output<'granted'>> = guards.action('prolongs', {
  'T3 the token is that of the term': ({ known }, { token }) => token === known.belief?.token,
  'L3 the latest deadline counts': ({ known }, { until }) =>
    known.belief !== undefined && until > known.belief.until,
});

/** Fences its term. */
export const fences: Action<Output<'lost'>> = guards.action('fences', {
  'H4 it has a term': ({ known }) => known.belief !== undefined,
  'H4 a rule ends the term': ({ known }) => known.ends !== undefined,
  'H4 a term expires at its deadline': ({ known, now }, { reason }) =>
    (reason === 'expired') === (known.belief !== undefined && now >= known.belief.until),
});

/** Revokes its term. */
export const revokes: Action<Output<'drain'>> = guards.action('revokes', {
  'H1 the term is its own, and not revoked yet': ({ known }, { token }) =>
    token === known.belief?.token && !known.isRevoking,
});

/** Revokes a lease that it wants, for placement's sake. */
export const revokesForOther: Action<Output<'drain'>> = guards.action('revokesForOther', {
  'L9 another member is preferred': ({ known: { ranks, self } }) =>
    ranks?.at(0) !== undefined && ranks.at(0) !== self.incarnation,
  'L9 the partition moved at least 2T ago': ({ known, now }) =>
    now >= known.movedAt + known.paces.settleMs(known.self.thresholdMs),
  'L9 the preferred member asks, where requests are possible': ({ known, now }) =>
    !known.self.hasLeaseRequests || freshRequest(known, now) !== undefined,
});

/** Ends its term in order. */
export const ends: Action<Output<'released'>> = guards.action('ends', {
  'H2 the work of a revoked term has drained': ({ known, input }) =>
    known.belief !== undefined && known.isRevoking && input.kind === 'drained',
});

/** Believes after a step. */
export const goesOn: Action<Instant> = guards.action('goesOn', {
  'H4 wakes by the deadline': ({ known }, wakeAt) =>
    known.belief !== undefined && wakeAt <= known.belief.until,
  'L4 repeats a write without an answer after T/12, T/6, then half of the rest of its lease': (
    { known },
    wakeAt,
  ) => wakeAt <= known.retryAt,
  'L8 renews every T/3': ({ known }, wakeAt) => wakeAt <= known.renewAt,
});

// ── Writes ──

/** Writes a record. */
export const writes: Action<Output<'write'>> = guards.action('writes', {
  'L1 names the record in effect': ({ known: { effect } }, { record }) =>
    record.after === (effect?.id ?? null) && record.height === heightAfter(effect),
  'L2 writes as its own incarnation': ({ known: { self, partition } }, { record }) =>
    record.incarnation === self.incarnation &&
    record.member === self.member &&
    record.group === self.group &&
    record.partition === partition,
  'L4 gives each attempt an id of its own': ({ known: { idPrefix, sent } }, { record }) =>
    record.id.startsWith(idPrefix) && sent.every(({ id }) => id !== record.id),
  'T1 raises the floor before a new token': ({ known }, { record, raisesFloor = false }) =>
    raisesFloor === (known.self.hasFloor === true && known.isNewTerm(record)),
});

/** Writes a record that begins a term. */
export const issuesToken: Action<LedgerRecord> = guards.action('issuesToken', {
  'T1 the token exceeds all before, and reaches the clock': ({ known, wallMicros }, { token }) => {
    const [next, wall] = [known.seenToken + 1n, BigInt(wallMicros)];
    return token === (wall > next ? wall : next);
  },
});

/** Renews its lease. */
export const renews: Action<LedgerRecord> = guards.action('renews', {
  'L8 holds the lease': ({ known }) => known.isHolder,
  'T3 keeps the token of the term': ({ known }, { token }) => token === known.belief?.token,
  'L3 names its own T': ({ known }, { thresholdMs }) => thresholdMs === known.self.thresholdMs,
});

/** Claims a lease. */
export const claims: Action<LedgerRecord> = guards.action('claims', {
  'R3 the pin agrees': ({ known }) => known.pin === 'agrees',
  'L3 names its own T': ({ known }, { thresholdMs }) => thresholdMs === known.self.thresholdMs,
  'L5 has read the register to its end': ({ known }) => known.reading === undefined,
  'L9 campaigns, and is listed': ({ known: { isCampaigning, ranks, self } }) =>
    isCampaigning && (ranks === undefined || ranks.indexOf(self.incarnation) >= 0),
  'L11 no history may be missing': ({ known, now }) => now >= known.doubtUntil,
  'H3 fenced work has had its T': ({ known, now }) => now >= known.lapsesAt,
});

/** Claims an empty register. */
export const claimsEmpty: Action<LedgerRecord> = guards.action('claimsEmpty', {
  'L5 has waited T_max(1 + ρ)': ({ known, now }) =>
    now >= known.arrivedAt + known.waitMs(known.paces.emptyMs(known.self)),
  'T1 has read the floor after the register': ({ known }) => known.isFloorRead,
});

/** Claims the lease of another member. */
export const claimsLapsed: Action<LedgerRecord> = guards.action('claimsLapsed', {
  'L5 has waited T(1 + ρ) since the record arrived, or the holder is proved dead (L13)': ({
    known,
    now,
  }) =>
    known.effect !== null &&
    (now >= known.arrivedAt + known.waitMs(known.effect.thresholdMs) || isDead(known)),
});

/** Wants a lease again that it resigned, or left to lapse. */
export const returns: Action<undefined> = guards.action('returns', {
  'L9 has abstained as long as it was asked to': ({ known, now }) =>
    known.abstains !== undefined && now >= known.abstains.until,
  'L9 has abstained for 2T, or until the lease was free for T': ({ known, now }) => {
    const { abstains, arrivedAt, effect, self } = known;
    const lapsesInMs = effect && holderOf(effect) ? known.waitMs(effect.thresholdMs) : 0;
    return (
      abstains !== undefined &&
      (now >= arrivedAt + lapsesInMs + self.thresholdMs ||
        now >= abstains.since + 2 * self.thresholdMs)
    );
  },
});

/** Releases a lease. */
export const releases: Action<LedgerRecord> = guards.action('releases', {
  'L6 the record is a release': (_situation, { kind }) => kind === 'release',
  'L6 has stopped believing': ({ known }) => known.belief === undefined,
  'L11 no history may be missing, unless a term has just ended': ({ known, now }) =>
    now < known.releasingUntil || (known.reading === undefined && now >= known.doubtUntil),
});

/** Releases its own lease to no member. */
export const releasesToAll: Action<LedgerRecord> = guards.action('releasesToAll', {
  'H3 fenced work has had its T': ({ known, now }) => now >= known.lapsesAt,
  'T1 keeps the token': ({ known }, { token }) => token === known.effect?.token,
});

/** Releases its own lease to a member. */
export const delegates: Action<LedgerRecord> = guards.action('delegates', {
  'H3 fenced work has had its T': ({ known, now }) => now >= known.lapsesAt,
  'L7 the preferred member asked less than T/2 ago': ({ known, now }, { to }) => {
    const request = freshRequest(known, now);
    return request?.id === to?.requestId && request?.incarnation === to?.incarnation;
  },
  'L7 names the T of the request': ({ known, now }, { thresholdMs }) =>
    thresholdMs === freshRequest(known, now)?.thresholdMs,
});

/** Releases the lease of a dead member. */
export const releasesForDead: Action<LedgerRecord> = guards.action('releasesForDead', {
  'L16 the holder is proved dead': ({ known }) => isDead(known),
  'L16 keeps the token and T': ({ known: { effect } }, { token, thresholdMs, to }) =>
    token === effect?.token && thresholdMs === effect.thresholdMs && to === undefined,
});

// ── Requests ──

/** Asks for a lease. */
export const asks: Action<Output<'request-lease'>> = guards.action('asks', {
  'L7 asks only where requests are possible': ({ known }) => known.self.hasLeaseRequests,
  'L7 names itself and its T': ({ known: { self, partition } }, { request }) =>
    request.partition === partition &&
    request.incarnation === self.incarnation &&
    request.thresholdMs === self.thresholdMs,
  'L7 is preferred, wants the lease and does not believe': ({ known }) =>
    known.ranks?.at(0) === known.self.incarnation && known.isWanted && known.belief === undefined,
  'L7 can read the register': ({ known, now }) =>
    known.reading === undefined && now >= known.doubtUntil,
  'L7 pauses after leases that it could not write': ({ known, now }) => now >= known.pausedUntil,
});

// ── The pin ──

/** Takes part under the pin in effect. */
export const agrees: Action<undefined> = guards.action('agrees', {
  'R3 the pin in effect has its own values': ({ known: { effect, self } }) =>
    effect !== null && hasValues(effect, self),
});

/** Writes the first pin. */
export const pins: Action<LedgerRecord> = guards.action('pins', {
  'R3 the register is empty': ({ known: { effect, reading } }, { after, height }) =>
    effect === null && reading === undefined && after === null && height === 0,
  'R3 the pin has its own values': ({ known: { self } }, record) =>
    record.kind === 'pin' && hasValues(record, self),
});

function hasValues(
  { metadata = {} }: LedgerRecord,
  { partitions, thresholdMsMax }: MemberConfig,
): boolean {
  return (
    metadata['partitions'] === String(partitions) &&
    metadata['thresholdMsMax'] === String(thresholdMsMax) &&
    metadata['guarantee'] === 'exclusive'
  );
}

// ── Readings ──

/** Reads the register again. */
export const rereads: Action<Output<'reread'>> = guards.action('rereads', {
  'L11 the store contradicts what was read': ({ known }) => known.mustReread,
});

/** Reports the leader. */
export const reports: Action<LedgerRecord> = guards.action('reports', {
  'L2 the leader holds the lease by the record in effect': ({ known }, { id }) =>
    id === known.effect?.id && holderOf(known.effect) !== undefined,
});

/** Reports that an assumption is broken. */
export const complains: Action<Output<'broken'>> = guards.action('complains', {
  'L8 the rule refutes what the member knew': ({ known }, { rule }) => rule === known.ends,
});

const isOver = ({ known }: Situation): boolean => known.belief === undefined;

/** The ends of a term that every step may have. */
export const mustEnd: Readonly<Record<Ending, Action<undefined>>> = {
  H4: guards.action('mustEnd', { 'H4 at its deadline': isOver }),
  L8: guards.action('mustEnd', { 'L8 if a record of another member or term is in effect': isOver }),
  L11: guards.action('mustEnd', { 'L11 if its record is lost': isOver }),
  L12: guards.action('mustEnd', { 'L12 if its register is contradictory': isOver }),
};

/** The reasons for a member to read a register again. */
export const mustReread: Action<undefined> = guards.action('mustReread', {
  'L11 if the store contradicts what was read': ({ known }) => known.isRereading,
});

/** L7: Returns the request of the preferred member, if it is younger than T/2. */
function freshRequest(
  { received, ranks, paces }: Knowledge,
  now: Instant,
): LeaseRequest | undefined {
  const preferred = ranks?.at(0);
  return received.find(
    ({ request, at }) =>
      request.incarnation === preferred && now - at <= paces.requestMs(request.thresholdMs).fresh,
  )?.request;
}

/** L13: Returns whether the holder is proved dead, and its term was not young. */
function isDead({ effect, deaths, termSince, paces }: Knowledge): boolean {
  if (effect === null || (effect.kind !== 'hold' && effect.kind !== 'release')) return false;
  const diedAt = deaths.get(holderOf(effect)?.incarnation ?? '');
  return diedAt !== undefined && diedAt - termSince >= paces.youngMs(effect.thresholdMs);
}
