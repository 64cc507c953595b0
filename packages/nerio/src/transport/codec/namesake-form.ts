import type { Namesake } from '../transport.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { addressBytesMax, incarnationBytesMax } from './limits.ts';

/** Writes which other process has a member's name. */
export function writeNamesake(to: ByteWriter, { incarnation, address }: Namesake): void {
  to.text(incarnation);
  to.text(Buffer.byteLength(address) > addressBytesMax ? '' : address);
}

/** Reads the same; `undefined` if the bytes are no such thing. */
export function readNamesake(from: ByteReader): Namesake | undefined {
  const incarnation = from.text(incarnationBytesMax);
  const address = from.text(addressBytesMax, 0);
  return from.isDone ? { incarnation, address } : undefined;
}
