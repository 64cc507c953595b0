// Passes the messages of a received frame to the member.
import type { Item, Sender } from '../protocol/message.ts';
import type { Messages } from './frames/messages.ts';
import type { TransportListener } from './transport.ts';

/** Receives the messages of a connection. */
export type MessageListener = Pick<TransportListener, 'received' | 'wrongEpoch' | 'dropped'>;

/** Whether members of every epoch accept the item. Only `running` is such an item. */
function isTimeless(item: Item): boolean {
  return item.kind === 'running';
}

/**
 * Passes the messages of one frame to `listener` together. Drops messages of another epoch than
 * `ownEpoch`; `wrongEpoch` then reports the sender and its epoch (N13).
 */
export function deliver(
  { epoch, items }: Messages,
  from: Sender,
  ownEpoch: number,
  listener: MessageListener,
): void {
  const delivered = items
    .filter((item) => epoch === ownEpoch || isTimeless(item))
    .map((item) => ({ epoch, item }));
  if (delivered.length > 0) listener.received(from, delivered);
  if (delivered.length === items.length) return;
  listener.dropped('wrong-epoch');
  listener.wrongEpoch(from, epoch);
}
