// Votes (S4): the favorite of a voter is the candidate that it supports. It keeps its favorite
// while that is alive, publishes its support with a bound on the favorite's clock, and supports
// another member only after P (the threshold) since its last publication, or once the favorite has
// declared that it counts none of the published votes. Rule numbers such as S4:
// docs/reference/rules.md.

import {
  changeVoterState,
  type ElectionContext,
  isAbstaining,
  isEligible,
  type Peer,
  peerOf,
  selfOf,
  voteOf,
} from './context.ts';
import { horizonOf, isSameLife, type Life, type Support, type Vote } from './declaration.ts';
import { attestsOf } from './last-vote.ts';
import { answersOf, mayVote } from './learning.ts';
import { greatest } from './rules.ts';
import type { SkippedFavorite, VoterState } from './state.ts';

/** Reviews the favorite of every partition. */
export function reviewFavorites(context: ElectionContext): void {
  const { state, clock } = context;
  if (state.skippedFavorites.some(({ until }) => until <= clock))
    state.skippedFavorites = state.skippedFavorites.filter(({ until }) => until > clock);
  for (let partition = 0; partition < state.voterStates.length; partition += 1) {
    reviewFavorite(context, partition);
    const own = state.voterStates[partition];
    if (own?.favorite !== undefined) continue;
    if (mayVote(context.state, context.clock)) pickFavorite(context, partition);
  }
}

function reviewFavorite(context: ElectionContext, partition: number): void {
  const own = context.state.voterStates[partition];
  if (own?.favorite === undefined) return;
  const peer = livingFavorite(context, own.favorite);
  if (isFree(context, own, peer, partition)) return free(context, partition);
  const hasResigned = peer !== undefined && isAbstaining(peer, partition);
  if (peer === undefined || hasResigned || !peer.isAlive || !wantsToLead(peer, partition))
    return retract(context, partition, hasResigned);
  if (own.withdrawn?.isFinal) return;
  if (own.withdrawn) {
    changeVoterState(context, partition, { withdrawn: undefined });
    context.hasChanged = true;
  }
  acceptClaim(context, partition, peer);
  reviewLeading(context, partition, peer);
}

/** The favorite, unless a later life of it is known. */
function livingFavorite(context: ElectionContext, favorite: Life): Peer | undefined {
  const peer = peerOf(context, favorite.member);
  return peer && isSameLife(peer, favorite) ? peer : undefined;
}

/** Whether the voter may support any other member now. */
function isFree(
  { rules, clock }: ElectionContext,
  { withdrawn, bound, publishedAt }: VoterState,
  favorite: Peer | undefined,
  partition: number,
): boolean {
  if (withdrawn !== undefined && clock >= withdrawn.freeAt) return true;
  const horizon = horizonOf(favorite?.declaration?.candidacy, partition);
  const hasPublished = publishedAt > Number.NEGATIVE_INFINITY;
  return horizon > Number.NEGATIVE_INFINITY && hasPublished && rules.freesAtOnce(bound, horizon);
}

function wantsToLead({ declaration }: Peer, partition: number): boolean {
  const candidacy = declaration?.candidacy;
  return candidacy?.stands[partition] === true || candidacy?.leads[partition] !== undefined;
}

function free(context: ElectionContext, partition: number): void {
  changeVoterState(context, partition, {
    favorite: undefined,
    withdrawn: undefined,
    notLeadingSince: undefined,
    bound: Number.NEGATIVE_INFINITY,
    publishedAt: Number.NEGATIVE_INFINITY,
  });
  context.hasChanged = true;
}

/** Stops supporting the favorite. Another one may follow P after the last publication. */
function retract(context: ElectionContext, partition: number, isFinal: boolean): void {
  const own = context.state.voterStates[partition];
  if (own === undefined || (own.withdrawn && (own.withdrawn.isFinal || !isFinal))) return;
  const freeAt =
    own.withdrawn?.freeAt ?? context.rules.freeAt(own.publishedAt, context.config.thresholdMs);
  changeVoterState(context, partition, { withdrawn: { freeAt, isFinal } });
  context.hasChanged = true;
  if (context.clock >= freeAt) free(context, partition);
}

/** Accepts the claim of the favorite if it is greater than every accepted claim of others (T1). */
function acceptClaim(context: ElectionContext, partition: number, peer: Peer): void {
  const own = context.state.voterStates[partition];
  const claim = peer.declaration?.candidacy?.claim ?? 0n;
  if (own === undefined || claim === 0n) return;
  const isOwn = own.acceptedFrom !== undefined && isSameLife(own.acceptedFrom, peer);
  if (isOwn ? claim <= own.accepted : !context.rules.accepts(claim, own.accepted)) return;
  const { member, generation } = peer;
  changeVoterState(context, partition, { accepted: claim, acceptedFrom: { member, generation } });
  context.hasChanged = true;
}

/**
 * Gives up a favorite that has not led for too long, although it is alive. The time starts again
 * once it has a majority: until then it could not lead. A majority that comes and goes, or a favorite
 * that is suspected now and then, does not start it again.
 */
function reviewLeading(context: ElectionContext, partition: number, peer: Peer): void {
  const { rules, clock, config } = context;
  if (!rules.isSticky && first(context, partition)?.member !== peer.member)
    return retract(context, partition, true);
  const isLed = peer.declaration?.candidacy?.leads[partition] !== undefined;
  const others = supportersOf(context, peer, partition);
  const hasMajority = rules.isMajority(others + 1, config.voters.length);
  const since = noteNotLeading(context, partition, isLed, hasMajority);
  if (since !== undefined && rules.repicks(clock - since, config.thresholdMs))
    giveUp(context, partition, peer);
}

/** Notes whether the favorite leads. Returns since when it has not, as far as that counts. */
function noteNotLeading(
  context: ElectionContext,
  partition: number,
  isLed: boolean,
  hasMajority: boolean,
): number | undefined {
  const own = context.state.voterStates[partition];
  const before = own?.notLeadingSince;
  const isFirstMajority = hasMajority && own?.hadMajority !== true;
  if (!isLed && before !== undefined && !isFirstMajority) return before;
  const notLeadingSince = isLed ? undefined : context.clock;
  if (notLeadingSince !== before)
    changeVoterState(context, partition, { notLeadingSince, hadMajority: !isLed && hasMajority });
  return notLeadingSince;
}

/**
 * Without a majority the first candidate follows, and the first one itself stays. A favorite that had
 * a majority receives no votes: it is skipped, so that another one can be elected.
 */
function giveUp(context: ElectionContext, partition: number, peer: Peer): void {
  const { rules, state, clock, config } = context;
  const hadMajority = state.voterStates[partition]?.hadMajority === true;
  changeVoterState(context, partition, { notLeadingSince: clock, hadMajority: false });
  if (hadMajority) {
    const { member, generation } = peer;
    const until = clock + rules.skipMs(config.thresholdMs);
    state.skippedFavorites = [...state.skippedFavorites, { member, generation, partition, until }];
    return retract(context, partition, true);
  }
  forgive(context, partition);
  if (best(context, partition)?.member !== peer.member) retract(context, partition, true);
}

/**
 * The favorite was picked instead of one that is skipped, and has no majority either. Voters that have
 * passed over each other would elect no member for as long as they skip. While a living voter supports
 * no member, it may yet elect the favorite. A member that others elect without this vote, and that does
 * not lead, is still passed over: it may be deaf.
 */
function forgive(context: ElectionContext, partition: number): void {
  const { rules, state, config } = context;
  const undecided = livingVoters(context).filter(
    (voter) => voteOf(context, voter)?.supports[partition] === undefined,
  ).length;
  const isForgiven = (one: SkippedFavorite): boolean => {
    const supporters = supportersOf(context, one, partition);
    return (
      one.partition === partition && rules.forgives(undecided, supporters, config.voters.length)
    );
  };
  if (state.skippedFavorites.some(isForgiven))
    state.skippedFavorites = state.skippedFavorites.filter((one) => !isForgiven(one));
}

/** The other voters that are alive. */
function livingVoters({ config, roster }: ElectionContext): readonly string[] {
  return config.voters.filter(
    (voter) => voter !== config.member && roster.get(voter)?.isAlive === true,
  );
}

/** The number of living other voters that declare this life as their favorite. */
function supportersOf(context: ElectionContext, life: Life, partition: number): number {
  let count = 0;
  for (const voter of livingVoters(context)) {
    const support = voteOf(context, voter)?.supports[partition];
    if (support !== undefined && isSameLife(support, life)) count += 1;
  }
  return count;
}

/** The candidates for a partition. Those that are skipped count only if there are no others. */
function eligible(context: ElectionContext, partition: number): readonly Peer[] {
  const { state, roster } = context;
  const skipped = state.skippedFavorites.filter((one) => one.partition === partition);
  const found: Peer[] = [];
  const passedOver: Peer[] = [];
  const note = (peer: Peer): void => {
    if (!isEligible(peer, partition)) return;
    (skipped.some((one) => isSameLife(one, peer)) ? passedOver : found).push(peer);
  };
  for (const peer of roster.candidates()) note(peer);
  if (state.candidateStates.length > 0) note(selfOf(context));
  return found.length > 0 ? found : passedOver;
}

/** The eligible candidate that a leader has named, otherwise the first by rendezvous hashing. */
function first(context: ElectionContext, partition: number): Peer | undefined {
  const { rules } = context;
  const named = successorsIn(context, partition);
  let found: Peer | undefined;
  for (const peer of eligible(context, partition)) {
    const isNamed = named.has(peer.member);
    const wasNamed = found !== undefined && named.has(found.member);
    if (found !== undefined && wasNamed && !isNamed) continue;
    if (
      found === undefined ||
      isNamed !== wasNamed ||
      rules.precedes(peer.member, found.member, partition)
    )
      found = peer;
  }
  return found;
}

/** The candidates that members have named in resignations which are not over. */
function successorsIn(context: ElectionContext, partition: number): ReadonlySet<string> {
  const names = new Set<string>();
  for (const peer of [...context.roster.candidates(), selfOf(context)]) {
    if (!isAbstaining(peer, partition)) continue;
    const all = peer.declaration?.candidacy?.resignations ?? [];
    const successor = all.find((one) => one.partition === partition)?.successor;
    if (successor !== undefined) names.add(successor);
  }
  return names;
}

/** The candidate that has a majority with this vote, otherwise the first. */
function best(context: ElectionContext, partition: number): Peer | undefined {
  const { rules, config } = context;
  for (const peer of eligible(context, partition)) {
    const others = supportersOf(context, peer, partition);
    if (others > 0 && rules.isMajority(others + 1, config.voters.length)) return peer;
  }
  return first(context, partition);
}

function pickFavorite(context: ElectionContext, partition: number): void {
  const peer = best(context, partition);
  if (peer === undefined) return;
  const { member, generation } = peer;
  changeVoterState(context, partition, { favorite: { member, generation } });
  context.hasChanged = true;
  acceptClaim(context, partition, peer);
}

/**
 * Returns the vote to publish now, and notes what it publishes. The bounds are those of this
 * moment.
 */
export function publishVote(context: ElectionContext): Vote | undefined {
  const { state } = context;
  if (state.voterStates.length === 0) return undefined;
  const shared = new Map<string, Support>();
  const supports: (Support | undefined)[] = [];
  state.voterStates = state.voterStates.map((own, partition) => {
    const support = supportOf(context, own);
    if (support === undefined) return own;
    const key = `${support.generation} ${support.token} ${support.above} ${support.member}`;
    supports[partition] = shared.get(key) ?? support;
    shared.set(key, support);
    // An estimate may start again from less, and earlier votes still count then.
    const bound = Math.max(own.bound, support.bound);
    return { ...own, bound, publishedAt: context.clock };
  });
  if (shared.size > 0) state.hasTakenPart = true;
  supports.length = state.voterStates.length;
  const known = greatest(...state.voterStates.map((own) => own.accepted));
  return {
    supports,
    known,
    ask: state.memory.query,
    answers: answersOf(context),
    witnesses: state.witnesses,
    attests: attestsOf(context),
  };
}

function supportOf(context: ElectionContext, own: VoterState): Support | undefined {
  const { favorite, withdrawn, accepted, acceptedFrom } = own;
  if (favorite === undefined || (withdrawn && !context.rules.publishesWithdrawn)) return undefined;
  const peer = peerOf(context, favorite.member);
  if (peer === undefined || !isSameLife(peer, favorite)) return undefined;
  const isOwn = acceptedFrom !== undefined && isSameLife(acceptedFrom, favorite);
  return {
    ...favorite,
    bound: peer.clock,
    token: isOwn ? accepted : 0n,
    above: isOwn ? 0n : accepted,
  };
}
