// The format of a frame:
//
//   length 4 · version 1 · group 16 · kind 1 · content · signature 0 or 32
//
// The length is that of all following bytes. Length and version keep their places in every later
// version. So does the refusal, the only frame that members of two versions or two groups can
// exchange: version 0 · reason 1.

import { createHash } from 'node:crypto';
import { ByteReader, type ByteWriter } from '@leadership/peer';
import type { Drop } from '../transport.ts';

/** The first and only version so far. */
const wireVersion = 1;

export const lengthBytes = 4;
const tagBytes = 16;
const headerBytes: number = 1 + tagBytes + 1;

/** The index is the number on the wire: append new kinds. */
const kinds = ['hello', 'welcome', 'messages', 'beat', 'echo', 'displaced', 'published'] as const;
export type FrameKind = (typeof kinds)[number];

/** Returns the tag of a group in every frame: a hash with a fixed length. */
export function tagOf(group: string): Buffer {
  return createHash('sha256')
    .update('leadership/nerio group\0')
    .update(group)
    .digest()
    .subarray(0, tagBytes);
}

/** Begins a frame. `endFrame` fills in the length. */
export function beginFrame(to: ByteWriter, tag: Buffer, kind: FrameKind): void {
  to.restart();
  to.uint32(0);
  to.byte(wireVersion);
  to.raw(tag);
  to.byte(kinds.indexOf(kind));
}

/** Ends the frame and returns a copy to send. `sign` receives the bytes to sign. */
export function endFrame(to: ByteWriter, sign: ((signed: Buffer) => Buffer) | undefined): Buffer {
  if (sign !== undefined) to.raw(sign(to.bytes().subarray(lengthBytes)));
  to.uint32At(0, to.length - lengthBytes);
  return Buffer.from(to.bytes());
}

/** A frame of this version and group. */
export interface OpenFrame {
  readonly kind: FrameKind;
  /** The bytes after the kind, including the signature. */
  readonly content: ByteReader;
}

/** Reads the header of a frame without its length. The sender is not authenticated yet. */
export function openFrame(frame: Buffer, tag: Buffer): OpenFrame | Drop {
  if (frame.length > 0 && frame[0] !== wireVersion) return 'wrong-version';
  if (frame.length < headerBytes) return 'malformed';
  if (!frame.subarray(1, 1 + tagBytes).equals(tag)) return 'wrong-group';
  const kind = kinds[frame[headerBytes - 1] ?? kinds.length];
  if (kind === undefined) return 'malformed';
  return { kind, content: new ByteReader(frame, headerBytes) };
}

/** The index is the number on the wire: append new reasons. */
const reasons = [
  'malformed',
  'forged',
  'wrong-version',
  'wrong-group',
  'misdirected',
  'flood',
] as const satisfies readonly Drop[];

/**
 * Returns the frame that informs a client of the reason; `undefined` for reasons that are not
 * disclosed. It is not signed, and serves operators only.
 */
export function refusalOf(why: Drop): Buffer | undefined {
  const number = (reasons as readonly Drop[]).indexOf(why);
  return number < 0 ? undefined : Buffer.from([0, 0, 0, refusalBytes, refusalVersion, number]);
}

/** Returns the reason if the frame is a refusal. */
export function readRefusal(frame: Buffer): Drop | undefined {
  const [version, number] = frame;
  if (frame.length !== refusalBytes || version !== refusalVersion || number === undefined)
    return undefined;
  return reasons[number];
}

const refusalVersion = 0;
const refusalBytes = 2;
