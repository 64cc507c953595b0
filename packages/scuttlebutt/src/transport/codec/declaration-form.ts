// The binary format of declarations, by which members vote. Partitions with the same support share
// it, as in the state of the voter, so that the receiver counts the same sizes.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import type {
  Candidacy,
  Declaration,
  Life,
  Support,
  Vote,
} from '../../protocol/election/declaration.ts';
import {
  readBits,
  readClock,
  readList,
  readName,
  readShort,
  wholeMax,
  writeBits,
  writeClock,
  writeName,
  writeShort,
} from './values.ts';

const hasVote = 1;
const hasCandidacy = 2;

export function writeDeclaration(to: ByteWriter, { vote, candidacy }: Declaration): void {
  to.byte((vote ? hasVote : 0) | (candidacy ? hasCandidacy : 0));
  if (vote) writeVote(to, vote);
  if (candidacy) writeCandidacy(to, candidacy);
}

export function readDeclaration(from: ByteReader, partitions: number): Declaration {
  const parts = from.byte();
  if (parts > (hasVote | hasCandidacy)) from.fail();
  const vote = (parts & hasVote) === 0 ? undefined : readVote(from, partitions);
  const candidacy = (parts & hasCandidacy) === 0 ? undefined : readCandidacy(from, partitions);
  return { vote, candidacy };
}

function writeVote(to: ByteWriter, vote: Vote): void {
  const { supports, known, ask, answers, witnesses, attests } = vote;
  writeShort(to, supports.length);
  const shared: Support[] = [];
  for (const support of supports) {
    if (support && !shared.includes(support)) shared.push(support);
    to.byte(support ? shared.indexOf(support) + 1 : 0);
  }
  for (const { member, generation, bound, token, above } of shared) {
    writeName(to, member);
    to.uint(generation);
    writeClock(to, bound);
    to.token(token);
    to.token(above);
  }
  to.token(known);
  to.uint(ask);
  to.byte(answers.length);
  for (const { member, generation, ask: number, remembers } of answers) {
    writeName(to, member);
    to.uint(generation);
    to.uint(number);
    to.flag(remembers);
  }
  to.byte(witnesses.length);
  for (const { member, generation } of witnesses) {
    writeName(to, member);
    to.uint(generation);
  }
  to.byte(attests.length);
  for (const { member, generation, last, known: accepted } of attests) {
    writeName(to, member);
    to.uint(generation);
    to.uint(last);
    to.token(accepted);
  }
}

function readVote(from: ByteReader, partitions: number): Vote {
  if (readShort(from) !== partitions) from.fail();
  const indices = readList(from, partitions, () => from.byte());
  const shared = readList(from, sharedIn(from, indices), () => ({
    member: readName(from),
    generation: from.uint(wholeMax),
    bound: readClock(from),
    token: from.token(),
    above: from.token(),
  }));
  const known = from.token();
  const ask = from.uint(wholeMax);
  const answers = readList(from, from.byte(), () => ({
    member: readName(from),
    generation: from.uint(wholeMax),
    ask: from.uint(wholeMax),
    remembers: from.flag(),
  }));
  const witnesses = readList(from, from.byte(), () => readLife(from));
  const attests = readList(from, from.byte(), () => ({
    ...readLife(from),
    last: from.uint(wholeMax),
    known: from.token(),
  }));
  const supports = indices.map((index) => shared[index - 1]);
  return { supports, known, ask, answers, witnesses, attests };
}

function readLife(from: ByteReader): Life {
  return { member: readName(from), generation: from.uint(wholeMax) };
}

/** The number of different supports. They are numbered in the order of their first use. */
function sharedIn(from: ByteReader, indices: readonly number[]): number {
  let count = 0;
  for (const index of indices) {
    if (index > count + 1) from.fail();
    count = Math.max(count, index);
  }
  return count;
}

function writeCandidacy(to: ByteWriter, candidacy: Candidacy): void {
  const { claim, stands, leads, leaving, wants, resignations } = candidacy;
  writeShort(to, stands.length);
  to.token(claim);
  writeBits(to, stands);
  writeBits(
    to,
    stands.map((_, partition) => leads[partition] !== undefined),
  );
  writeBits(to, leaving);
  writeBits(to, wants);
  for (const token of leads) if (token !== undefined) to.token(token);
  writeShort(to, resignations.length);
  for (const { partition, horizon, successor = '' } of resignations) {
    to.uint(partition);
    writeClock(to, horizon);
    writeName(to, successor);
  }
}

function readCandidacy(from: ByteReader, partitions: number): Candidacy {
  if (readShort(from) !== partitions) from.fail();
  const claim = from.token();
  const stands = readBits(from, partitions);
  const isLed = readBits(from, partitions);
  const leaving = readBits(from, partitions);
  const wants = readBits(from, partitions);
  const tokens = isLed.map((is) => (is ? from.token() : undefined));
  const leads = isLed.includes(true) ? tokens : [];
  const resignations = readList(from, readShort(from), () => ({
    partition: from.uint(partitions - 1),
    horizon: readClock(from),
    // No member has an empty name.
    successor: readName(from) || undefined,
  }));
  return { claim, stands, leads, leaving, wants, resignations };
}
