import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Ends } from '../codec/scope.ts';
import type { Message } from '../transport.ts';
import { type Messages, type Receiver, readMessages, writeMessages } from './messages.ts';

/** Used by every call: what it holds is copied before the next. */
const writer = new ByteWriter();

/**
 * Messages as bytes, in as few pieces as hold them in their order: each is bounded, and of one epoch. Neither numbered nor signed: that is
 * the way's affair.
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

/** What one piece says; `undefined` where any of it is not as a member writes it, or speaks of what the receiver knows not to be. */
export function decodeMessages(piece: Buffer, ends: Ends, receiver: Receiver): Messages | undefined {
  return readMessages(new ByteReader(piece), ends, receiver);
}
