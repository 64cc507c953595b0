// The sizes and limits of the values that members publish by gossip. The gossip carries them
// without knowing their contents. Rule numbers such as T1: docs/reference/rules.md.

import type { Candidacy, Declaration, Life, Support, Vote } from './election/declaration.ts';
import { isCount, latestWall, nameBytesMax, utf8Length } from './gossip/plausible.ts';
import { numberBytes, textBytes } from './gossip/size.ts';
import type { MemberConfig } from './state.ts';

/** Tokens have eight bytes on the wire (T1). */
const tokenBytes = 8;
/** The greatest number of terms that a member may have missed. */
const knownAhead = 1_048_576n;
/** A voter asks again only when another one restarts. */
const asksMax = 2 ** 31;

/** Returns the size of a declaration in bytes. */
export function sizeOf({ vote, candidacy }: Declaration): number {
  return 1 + (vote ? voteBytes(vote) : 0) + (candidacy ? candidacyBytes(candidacy) : 0);
}

function voteBytes({ supports, ask, answers, witnesses, attests }: Vote): number {
  // Each distinct support once, and one byte per partition that says which.
  let bytes = 2 + supports.length + tokenBytes + numberBytes(ask) + 1;
  for (const support of new Set(supports))
    if (support)
      bytes +=
        textBytes(support.member) +
        numberBytes(support.generation) +
        numberBytes(support.bound * 1000) +
        2 * tokenBytes;
  for (const { member, generation, ask: number } of answers)
    bytes += textBytes(member) + numberBytes(generation) + numberBytes(number) + 1;
  bytes += 2;
  for (const { member, generation } of witnesses)
    bytes += textBytes(member) + numberBytes(generation);
  for (const { member, generation, last } of attests)
    bytes += textBytes(member) + numberBytes(generation) + numberBytes(last) + tokenBytes;
  return bytes;
}

function candidacyBytes({ stands, leads, resignations }: Candidacy): number {
  const bits = Math.ceil(stands.length / 8);
  let bytes = 4 + tokenBytes + 4 * bits;
  for (const token of leads) if (token !== undefined) bytes += tokenBytes;
  for (const { partition, horizon, successor = '' } of resignations)
    bytes += numberBytes(partition) + numberBytes(horizon * 1000) + textBytes(successor);
  return bytes;
}

/** Whether its owner can have made a declaration, given the limits that this member knows. */
export function isPlausibleDeclaration(
  config: MemberConfig,
  { vote, candidacy }: Declaration,
  owner: string,
  known: bigint,
  wallMicros: number,
): boolean {
  // Tokens are microseconds as well (N16).
  const byClock = BigInt(latestWall(Math.trunc(wallMicros)));
  const limit = byClock > known + knownAhead ? byClock : known + knownAhead;
  if (vote && !(config.voters.includes(owner) && isVote(config, vote, limit))) return false;
  return candidacy === undefined || isCandidacy(config, candidacy, limit);
}

function isVote({ partitions, voters }: MemberConfig, vote: Vote, limit: bigint): boolean {
  const { supports, known, ask, answers, witnesses, attests } = vote;
  const isOfVoter = ({ member }: Life): boolean => voters.includes(member);
  return (
    supports.length === partitions &&
    isToken(known, limit) &&
    isCount(ask) &&
    ask <= asksMax &&
    answers.length < voters.length &&
    answers.every((one) => isOfVoter(one) && isCount(one.ask)) &&
    witnesses.length < voters.length &&
    witnesses.every(isOfVoter) &&
    attests.length < voters.length &&
    attests.every((one) => isOfVoter(one) && isToken(one.known, limit)) &&
    supports.every((support) => support === undefined || isSupport(support, limit))
  );
}

function isSupport({ member, generation, bound, token, above }: Support, limit: bigint): boolean {
  return (
    utf8Length(member) <= nameBytesMax &&
    isCount(generation) &&
    Number.isFinite(bound) &&
    bound >= 0 &&
    isToken(token, limit) &&
    isToken(above, limit)
  );
}

function isCandidacy({ partitions }: MemberConfig, candidacy: Candidacy, limit: bigint): boolean {
  const { claim, stands, leads, leaving, wants, resignations } = candidacy;
  const isListed = [stands, leaving, wants].every((list) => list.length === partitions);
  return (
    isListed &&
    (leads.length === 0 || leads.length === partitions) &&
    isToken(claim, limit) &&
    leads.every((token) => token === undefined || isToken(token, limit)) &&
    resignations.length <= partitions &&
    resignations.every(
      ({ partition, horizon, successor = '' }) =>
        isCount(partition) &&
        partition < partitions &&
        Number.isFinite(horizon) &&
        horizon >= 0 &&
        utf8Length(successor) <= nameBytesMax,
    )
  );
}

function isToken(token: bigint, limit: bigint): boolean {
  return token >= 0n && token <= limit;
}
