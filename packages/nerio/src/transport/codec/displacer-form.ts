// The binary format of the message that another process uses a member's name.
import type { ByteReader, ByteWriter } from '@leadership/peer';
import type { Displacer } from '../transport.ts';
import { addressBytesMax, incarnationBytesMax } from './limits.ts';

/** Writes the identity of another process with a member's name. */
export function writeDisplacer(to: ByteWriter, { incarnation, address }: Displacer): void {
  to.text(incarnation);
  to.text(Buffer.byteLength(address) > addressBytesMax ? '' : address);
}

/** Reads the identity of another process; `undefined` if the bytes are invalid. */
export function readDisplacer(from: ByteReader): Displacer | undefined {
  const incarnation = from.text(incarnationBytesMax);
  const address = from.text(addressBytesMax, 0);
  return from.isDone ? { incarnation, address } : undefined;
}
