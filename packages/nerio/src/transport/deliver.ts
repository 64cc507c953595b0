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
 * Passes the messages of one frame to `ears` together. Drops messages of another epoch than `ownEpoch`; `strayed` then reports the sender
 * and its epoch (N13).
 */
export function deliver({ epoch, items }: Messages, from: Sender, ownEpoch: number, ears: Hearing): void {
  const heard = items.filter((item) => epoch === ownEpoch || isTimeless(item)).map((item) => ({ epoch, item }));
  if (heard.length > 0) ears.heard(from, heard);
  if (heard.length === items.length) return;
  ears.dropped('wrong-epoch');
  ears.strayed(from, epoch);
}
