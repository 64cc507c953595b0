// Encodes messages for transports other than TCP (`@leadership/nerio/codec`).
import { ByteReader, ByteWriter } from '@leadership/peer';
import type { Ends } from '../codec/values.ts';
import type { Message } from '../transport.ts';
import { type Messages, type Receiver, readMessages, writeMessages } from './messages.ts';

/** Shared by all calls. Each call copies the result before it returns. */
const writer = new ByteWriter();

/**
 * Encodes messages in as few pieces as possible, in their order. Each piece has a bounded length
 * and belongs to one epoch. The connection adds sequence numbers and signatures.
 */
export function encodeMessages(messages: readonly Message[], ends: Ends): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < messages.length; ) {
    writer.restart();
    from += writeMessages(writer, from === 0 ? messages : messages.slice(from), ends);
    pieces.push(Buffer.from(writer.bytes()));
  }
  return pieces;
}

/**
 * Decodes one piece. Returns `undefined` if any of it is invalid, or names partitions or members
 * that the receiver does not know.
 */
export function decodeMessages(
  piece: Buffer,
  ends: Ends,
  receiver: Receiver,
): Messages | undefined {
  return readMessages(new ByteReader(piece), ends, receiver);
}
