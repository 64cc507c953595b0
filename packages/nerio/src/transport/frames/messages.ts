// Packs the messages to one member into frames, and reads them.
import { type ByteReader, type ByteWriter, wholeMax } from '@leadership/peer';
import type { Item } from '../../protocol/message.ts';
import { itemForm } from '../codec/item-form.ts';
import { messagesPerFrameMax } from '../codec/limits.ts';
import type { Ends, Scope } from '../codec/values.ts';
import type { Message } from '../transport.ts';

/**
 * The length up to which a frame is filled, unless one message alone is longer. A small frame
 * limits the loss and the delay. Bytes.
 */
const fillBytes = 16_384;

/** Writes as many messages of one epoch as fit, and returns their number. */
export function writeMessages(to: ByteWriter, messages: readonly Message[], ends: Ends): number {
  const epoch = messages[0]?.epoch ?? 0;
  to.uint(epoch);
  let count = 0;
  for (const message of messages) {
    if (message.epoch !== epoch || count === messagesPerFrameMax) break;
    const length = to.length;
    itemForm.write(to, message.item, ends);
    if (count > 0 && to.length > fillBytes) {
      to.cutTo(length);
      break;
    }
    count += 1;
  }
  return count;
}

/** The messages of one frame. */
export interface Messages {
  /** The sender's epoch. */
  readonly epoch: number;
  /** In the order of sending. */
  readonly items: readonly Item[];
}

/** The receiver's own values, against which messages are checked. */
export interface Receiver {
  /** M. */
  readonly partitions: number;
  /** The number of its epoch. */
  readonly epoch: number;
  /** The members of that epoch. */
  readonly names: ReadonlySet<string>;
}

/**
 * Reads the messages of a frame. Returns `undefined` if any of them is invalid; then the whole
 * frame is dropped.
 */
export function readMessages(
  from: ByteReader,
  ends: Ends,
  { partitions, epoch: own, names }: Receiver,
): Messages | undefined {
  const epoch = from.uint(wholeMax);
  const scope: Scope = { ...ends, partitions, epoch, names: epoch === own ? names : undefined };
  const items: Item[] = [];
  while (from.isSound && !from.isDone && items.length < messagesPerFrameMax)
    items.push(itemForm.read(from, scope));
  return from.isDone && items.length > 0 ? { epoch, items } : undefined;
}
