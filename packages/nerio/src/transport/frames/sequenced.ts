// What is said on a connection once both ends know each other: every frame numbered, and signed where there is a key. The signing key
// is of this connection and this direction alone, so that a frame fits nowhere else; the number, nowhere else in it.
import { ByteWriter } from '../codec/byte-writer.ts';
import { wholeMax } from '../codec/limits.ts';
import type { Drop } from '../transport.ts';
import { beginFrame, endFrame, type FrameKind, type OpenFrame, openFrame } from './frame.ts';
import { type Seal, signatureBytes } from './seal.ts';

/** One direction of a connection: which group, and the key that frames are signed with, if any. */
export interface Way {
  readonly tag: Buffer;
  readonly seal: Seal | undefined;
}

/** Writes the frames of one direction. */
export interface SequencedWriter {
  /** The next frame, filled by `fill`. */
  write(kind: FrameKind, fill: (to: ByteWriter) => void): Buffer;
}

export function sequencedWriter({ tag, seal }: Way): SequencedWriter {
  const writer = new ByteWriter();
  let sequence = 0;
  return {
    write(kind, fill) {
      sequence += 1;
      beginFrame(writer, tag, kind);
      writer.uint(sequence);
      fill(writer);
      return endFrame(writer, seal?.sign);
    },
  };
}

/** Reads the frames of one direction. */
export interface SequencedReader {
  /** The frame, said by the other end on this connection just now; or why it is dropped. */
  read(frame: Buffer): OpenFrame | Drop;
}

export function sequencedReader(way: Way): SequencedReader {
  let sequence = 0;
  return {
    read(frame) {
      const open = openSealed(frame, way);
      if (typeof open === 'string') return open;
      const number = open.content.uint(wholeMax);
      if (!open.content.isSound) return 'malformed';
      if (number !== sequence + 1) return 'replayed';
      sequence = number;
      return open;
    },
  };
}

function openSealed(frame: Buffer, { tag, seal }: Way): OpenFrame | Drop {
  const open = openFrame(frame, tag);
  if (typeof open === 'string' || seal === undefined) return open;
  if (!isSigned(frame, seal)) return 'forged';
  open.content.dropLast(signatureBytes);
  return open;
}

/** Whether what stands before the last bytes is signed by them; `before` was said earlier, and is signed too. */
export function isSigned(frame: Buffer, seal: Seal, before: readonly Buffer[] = []): boolean {
  const cut = Math.max(0, frame.length - signatureBytes);
  return seal.isOf(frame.subarray(cut), ...before, frame.subarray(0, cut));
}
