import type { Item, Sender } from '../protocol/message.ts';
import type { Messages } from './frames/messages.ts';
import type { Ears } from './transport.ts';

/** Receives the messages of a connection. */
export type Hearing = Pick<Ears, 'heard' | 'strayed' | 'dropped'>;

/** Whether members of every epoch accept the item. Only `running` is such an item. */
function isTimeless(item: Item): boolean {
  return item.kind === 'running';
}

/**
 * Passes the messages of one frame to `ears`. A message of another epoch than `ownEpoch()` at that moment is dropped, and `strayed` reports
 * the sender and its epoch (N13).
 */
export function deliver({ epoch, items }: Messages, from: Sender, ownEpoch: () => number, ears: Hearing): void {
  let isStray = false;
  for (const item of items) {
    if (epoch === ownEpoch() || isTimeless(item)) ears.heard(from, { epoch, item });
    else isStray = true;
  }
  if (!isStray) return;
  ears.dropped('wrong-epoch');
  ears.strayed(from, epoch);
}
