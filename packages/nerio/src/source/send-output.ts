// Hands the messages of the machine to the transport.
import { includes } from '../protocol/members.ts';
import type { NerioOutput } from '../protocol/output.ts';
import type { Transport } from '../transport/transport.ts';

/** Sends a message of a step: to members of an epoch by index, or to members by name. */
export function sendOutput(
  transport: Transport,
  output: NerioOutput & { readonly kind: 'send' | 'send-by-name' },
): void {
  const { item } = output;
  if (output.kind === 'send-by-name') {
    for (const name of output.to) transport.send(name, { epoch: output.epoch, item });
    return;
  }
  const { names, number: epoch } = output.electorate;
  names.forEach((name, index) => {
    if (includes(output.to, index)) transport.send(name, { epoch, item });
  });
}
