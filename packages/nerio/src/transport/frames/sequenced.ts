// Numbers and signs the frames of a connection after the handshake, and checks those received. The
// signing key belongs to this connection and direction alone, so a frame is invalid on any other
// one; the number makes it invalid at any other place.
import { ByteWriter, type Seal, signatureBytes, wholeMax } from '@leadership/peer';
import type { Drop } from '../transport.ts';
import { beginFrame, endFrame, type FrameKind, type OpenFrame, openFrame } from './frame.ts';

/** One direction of a connection: the group's tag, and the signing key, if any. */
export interface FrameDirection {
  readonly tag: Buffer;
  readonly seal: Seal | undefined;
}

/** Writes the frames of one direction. */
export interface SequencedWriter {
  /** Returns the next frame, whose content `fill` writes. */
  write(kind: FrameKind, fill: (to: ByteWriter) => void): Buffer;
}

export function sequencedWriter({ tag, seal }: FrameDirection): SequencedWriter {
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
  /** Returns the frame if it is the next one of the other end, or the reason why it is dropped. */
  read(frame: Buffer): OpenFrame | Drop;
}

export function sequencedReader(direction: FrameDirection): SequencedReader {
  let sequence = 0;
  return {
    read(frame) {
      const open = openSealed(frame, direction);
      if (typeof open === 'string') return open;
      const number = open.content.uint(wholeMax);
      if (!open.content.isSound) return 'malformed';
      if (number !== sequence + 1) return 'replayed';
      sequence = number;
      return open;
    },
  };
}

function openSealed(frame: Buffer, { tag, seal }: FrameDirection): OpenFrame | Drop {
  const open = openFrame(frame, tag);
  if (typeof open === 'string' || seal === undefined) return open;
  if (!isSigned(frame, seal)) return 'forged';
  open.content.dropLast(signatureBytes);
  return open;
}

/**
 * Whether the last bytes of the frame sign the bytes before them, together with the earlier frames
 * in `before`.
 */
export function isSigned(frame: Buffer, seal: Seal, before: readonly Buffer[] = []): boolean {
  const cut = Math.max(0, frame.length - signatureBytes);
  return seal.isOf(frame.subarray(cut), ...before, frame.subarray(0, cut));
}
