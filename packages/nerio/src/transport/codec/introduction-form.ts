// The binary format in which members introduce themselves on a new connection.
import { entriesForm, type Form, fieldsForm, textForm } from '@leadership/peer';
import type { Introduction } from '../transport.ts';
import { nameBytesMax } from './limits.ts';
import { finiteForm, incarnationForm } from './values.ts';

/** The limits on pinned values: their number, and the lengths of names and values. */
const pinsMax = 32;
const pinBytesMax = 200;
/** The limits on metadata. It is at most 1 KiB of JSON, so neither more nor longer words fit. */
const wordsMax = 256;
const wordBytesMax = 1024;
/** The last moment that a `Date` can express. Milliseconds since 1970. */
const wallMsMax = 8.64e15;

const wordForm: Form<string> = textForm(wordBytesMax, 0);
const pinTextForm: Form<string> = textForm(pinBytesMax, 0);

const pinnedForm: Form<string | number> = {
  write(to, value, sender) {
    to.flag(typeof value === 'string');
    if (typeof value === 'string') pinTextForm.write(to, value, sender);
    else finiteForm.write(to, value, sender);
  },
  read: (from, receiver) => (from.flag() ? pinTextForm : finiteForm).read(from, receiver),
};

/** A member's description of itself. */
export const introductionForm: Form<Introduction> = fieldsForm<Introduction>({
  member: textForm(nameBytesMax),
  incarnation: incarnationForm,
  pin: entriesForm(pinsMax, textForm(pinBytesMax), pinnedForm),
  metadata: entriesForm(wordsMax, wordForm, wordForm),
  observes: {
    write: (to, observes) => to.flag(observes === true),
    read: (from) => from.flag() || undefined,
  },
  since: {
    write: (to, since = 0) => to.uint(since),
    read: (from) => from.uint(wallMsMax) || undefined,
  },
});
