// The values that both ends of a connection know, so that messages need not contain them.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import { membersMax } from '../../protocol/members.ts';
import type { Ballot } from '../../protocol/message.ts';
import type { Sample, Start } from '../../protocol/sample.ts';
import { incarnationBytesMax, nameBytesMax, wholeMax } from './limits.ts';

/**
 * The two incarnations between which messages travel. Values that both know are not sent, so they
 * cannot be forged.
 */
export interface Ends {
  /** The sender's incarnation. */
  readonly from: string;
  /** The receiver's. */
  readonly to: string;
}

/** The values against which received messages are checked. */
export interface Scope extends Ends {
  /** M. */
  readonly partitions: number;
  /** The epoch in which the message was sent. */
  readonly epoch: number;
  /** The members of that epoch; `undefined` if it is not this member's epoch. */
  readonly names: ReadonlySet<string> | undefined;
}

/** The encoding of one kind of message, or of a part of one. */
export interface Form<T> {
  write(to: ByteWriter, value: T, ends: Ends): void;
  /** Reads a value. An invalid one makes the reader unsound. */
  read(from: ByteReader, scope: Scope): T;
}

/** A partition of the group. */
export function readPartition(from: ByteReader, { partitions }: Scope): number {
  return from.uint(partitions - 1);
}

export function readName(from: ByteReader, { names }: Scope): string {
  const name = from.text(nameBytesMax);
  if (names !== undefined && !names.has(name)) from.fail();
  return name;
}

export function writeSample(to: ByteWriter, { at, count }: Sample): void {
  to.float(at);
  to.uint(count);
}

export function readSample(from: ByteReader): Sample {
  const at = from.float(-Number.MAX_VALUE, Number.MAX_VALUE);
  return { at, count: from.uint(wholeMax) };
}

/** A round of the sender, without its incarnation, so that no other member can name it. */
export function writeOwnStart(to: ByteWriter, { at, count }: Start): void {
  to.float(at);
  to.uint(count);
}

export function readOwnStart(from: ByteReader, { from: incarnation }: Ends): Start {
  const at = from.float(-Number.MAX_VALUE, Number.MAX_VALUE);
  return { incarnation, at, count: from.uint(wholeMax) };
}

/** A round of the receiver. Its incarnation is sent only if it is not the current one. */
export function writeTheirStart(
  to: ByteWriter,
  { incarnation, at, count }: Start,
  ends: Ends,
): void {
  to.text(incarnation === ends.to ? '' : incarnation);
  to.float(at);
  to.uint(count);
}

export function readTheirStart(from: ByteReader, { to }: Ends): Start {
  const said = from.text(incarnationBytesMax, 0);
  if (said === to) from.fail();
  const at = from.float(-Number.MAX_VALUE, Number.MAX_VALUE);
  return { incarnation: said === '' ? to : said, at, count: from.uint(wholeMax) };
}

export function writeBallot(to: ByteWriter, { round, member, incarnation }: Ballot): void {
  to.uint(round);
  to.text(member);
  to.text(incarnation);
}

export function readBallot(from: ByteReader, scope: Scope): Ballot {
  const round = from.uint(wholeMax);
  const member = readName(from, scope);
  return { round, member, incarnation: from.text(incarnationBytesMax) };
}

/** One token for each partition. */
export function writeTokens(to: ByteWriter, tokens: readonly bigint[]): void {
  for (const token of tokens) to.token(token);
}

export function readTokens(from: ByteReader, count: number): readonly bigint[] {
  const tokens: bigint[] = [];
  for (let partition = 0; partition < count && from.isSound; partition += 1)
    tokens.push(from.token());
  return tokens;
}

/** The index of a member in the epoch, or −1 for none. */
export function writeIndex(to: ByteWriter, index: number): void {
  to.byte(index + 1);
}

export function readIndex(from: ByteReader, { names }: Scope): number {
  const index = from.byte() - 1;
  if (index >= (names?.size ?? membersMax)) from.fail();
  return index;
}
