import type { Item, Sender } from '../protocol/message.ts';
import type { Messages } from './frames/messages.ts';
import type { Ears } from './transport.ts';

/** Who hears what was said. */
export type Hearing = Pick<Ears, 'heard' | 'strayed' | 'dropped'>;

/** Whether it is heard in every epoch: the only thing that is. */
function isTimeless(item: Item): boolean {
  return item.kind === 'running';
}

/**
 * Hands on what was said in one frame. What belongs to another epoch than `ownEpoch` says, when its turn comes, is dropped; but the ears
 * are told who is in which (N13).
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
