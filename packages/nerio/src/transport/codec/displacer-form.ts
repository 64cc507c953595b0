// The binary format of the message that another process uses a member's name.
import { type Form, fieldsForm, textForm } from '@leadership/peer';
import type { Displacer } from '../transport.ts';
import { addressBytesMax } from './limits.ts';
import { incarnationForm } from './values.ts';

/** The identity of another process with a member's name. An address that is too long is left out. */
export const displacerForm: Form<Displacer> = fieldsForm<Displacer>({
  incarnation: incarnationForm,
  address: {
    write: (to, address) => to.text(Buffer.byteLength(address) > addressBytesMax ? '' : address),
    read: textForm(addressBytesMax, 0).read,
  },
});
