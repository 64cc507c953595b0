// A frame, as it is on the wire:
//
//   length 4 · version 1 · group 16 · kind 1 · content · signature 0 or 32
//
// The length counts whatever follows it. Length and version stay where they are in every version to come, and so does the refusal, which
// is all that members of two versions or two groups can say to each other: version 0 · reason 1.
import { createHash } from 'node:crypto';
import { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import type { Drop } from '../transport.ts';

/** The only one there has been. */
const wireVersion = 1;

export const lengthBytes = 4;
const tagBytes = 16;
const headerBytes: number = 1 + tagBytes + 1;

/** By their numbers on the wire: new ones go to the end. */
const kinds = ['hello', 'welcome', 'messages', 'beat', 'echo', 'displaced'] as const;
export type FrameKind = (typeof kinds)[number];

/** Stands for the group in every frame: as long for every name, and no two groups have the same. */
export function tagOf(group: string): Buffer {
  return createHash('sha256').update('leadership/nerio group\0').update(group).digest().subarray(0, tagBytes);
}

/** Begins a frame; its length is not known yet. */
export function beginFrame(to: ByteWriter, tag: Buffer, kind: FrameKind): void {
  to.restart();
  to.uint32(0);
  to.byte(wireVersion);
  to.raw(tag);
  to.byte(kinds.indexOf(kind));
}

/** Ends it: a copy, to be sent. `sign` is given what it signs. */
export function endFrame(to: ByteWriter, sign: ((signed: Buffer) => Buffer) | undefined): Buffer {
  if (sign !== undefined) to.raw(sign(to.bytes().subarray(lengthBytes)));
  to.uint32At(0, to.length - lengthBytes);
  return Buffer.from(to.bytes());
}

/** A frame that is of this version and group. */
export interface OpenFrame {
  readonly kind: FrameKind;
  /** Whatever follows the kind, signature included. */
  readonly content: ByteReader;
}

/** Takes the header off a frame without its length. Nothing is known yet of who sent it. */
export function openFrame(frame: Buffer, tag: Buffer): OpenFrame | Drop {
  if (frame.length > 0 && frame[0] !== wireVersion) return 'wrong-version';
  if (frame.length < headerBytes) return 'malformed';
  if (!frame.subarray(1, 1 + tagBytes).equals(tag)) return 'wrong-group';
  const kind = kinds[frame[headerBytes - 1] ?? kinds.length];
  if (kind === undefined) return 'malformed';
  return { kind, content: new ByteReader(frame, headerBytes) };
}

/** By their numbers on the wire: new ones go to the end. */
const reasons = ['malformed', 'forged', 'wrong-version', 'wrong-group', 'misdirected', 'flood'] as const satisfies readonly Drop[];

/** Tells a caller why it is not answered; `undefined` where that is nobody's business. Nobody signs it: it is for the eyes of people. */
export function refusalOf(why: Drop): Buffer | undefined {
  const number = (reasons as readonly Drop[]).indexOf(why);
  return number < 0 ? undefined : Buffer.from([0, 0, 0, refusalBytes, refusalVersion, number]);
}

/** Why a call is not answered, where the frame says so. */
export function readRefusal(frame: Buffer): Drop | undefined {
  const [version, number] = frame;
  if (frame.length !== refusalBytes || version !== refusalVersion || number === undefined) return undefined;
  return reasons[number];
}

const refusalVersion = 0;
const refusalBytes = 2;
