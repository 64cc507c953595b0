import type { Item } from '../../protocol/message.ts';
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { itemForm } from '../codec/item-form.ts';
import { messagesPerFrameMax, wholeMax } from '../codec/limits.ts';
import type { Ends, Scope } from '../codec/scope.ts';
import type { Message } from '../transport.ts';

/** Frames are filled up to here, unless one message alone is longer: what is lost at once, and waited for, stays small. Bytes. */
const fillBytes = 16_384;

/** Writes as many of these as fit, of one epoch; says how many those were. */
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

/** What was said in one frame. */
export interface Messages {
  /** The epoch that its sender was in. */
  readonly epoch: number;
  /** In the order in which it was said. */
  readonly items: readonly Item[];
}

/** What a receiver knows, whoever speaks. */
export interface Receiver {
  /** M. */
  readonly partitions: number;
  /** The number of its epoch. */
  readonly epoch: number;
  /** That epoch's members. */
  readonly names: ReadonlySet<string>;
}

/** Reads a frame's messages; `undefined` where anything in it is not as it should be: then nothing in it counts. */
export function readMessages(from: ByteReader, ends: Ends, { partitions, epoch: own, names }: Receiver): Messages | undefined {
  const epoch = from.uint(wholeMax);
  const scope: Scope = { ...ends, partitions, epoch, names: epoch === own ? names : undefined };
  const items: Item[] = [];
  while (from.isSound && !from.isDone && items.length < messagesPerFrameMax) items.push(itemForm.read(from, scope));
  return from.isDone && items.length > 0 ? { epoch, items } : undefined;
}
