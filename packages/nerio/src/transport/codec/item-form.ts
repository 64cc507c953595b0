// The binary format of every kind of message between members: a number for the kind, then its form.
import type { Item } from '../../protocol/message.ts';
import {
  acceptedReplyForm,
  acceptForm,
  bindableForm,
  outrankedForm,
  probeForm,
  runningForm,
  wedgedForm,
  wedgeForm,
} from './epoch-items.ts';
import {
  grantRequestForm,
  leaseRequestForm,
  okForm,
  refusedForm,
  releaseForm,
} from './lease-items.ts';
import {
  learnedForm,
  learnForm,
  pingForm,
  pongForm,
  remainderForm,
  verifyForm,
} from './ring-items.ts';
import type { Form } from './scope.ts';

type Kind = Item['kind'];

const forms: { readonly [K in Kind]: Form<Extract<Item, { readonly kind: K }>> } = {
  'grant-request': grantRequestForm,
  ok: okForm,
  refused: refusedForm,
  release: releaseForm,
  ping: pingForm,
  pong: pongForm,
  learn: learnForm,
  learned: learnedForm,
  verify: verifyForm,
  remainder: remainderForm,
  wedge: wedgeForm,
  wedged: wedgedForm,
  accept: acceptForm,
  accepted: acceptedReplyForm,
  outranked: outrankedForm,
  running: runningForm,
  'lease-request': leaseRequestForm,
  probe: probeForm,
  bindable: bindableForm,
};

/** In the order of their numbers on the wire: append new ones at the end. */
const kinds = [
  'grant-request',
  'ok',
  'refused',
  'release',
  'ping',
  'pong',
  'learn',
  'learned',
  'verify',
  'remainder',
  'wedge',
  'wedged',
  'accept',
  'accepted',
  'outranked',
  'running',
  'lease-request',
  'probe',
  'bindable',
] as const satisfies readonly Kind[];

const numbers: ReadonlyMap<Kind, number> = new Map(kinds.map((kind, number) => [kind, number]));

/** Any message between members: its kind, then the content of that kind. */
export const itemForm: Form<Item> = {
  write(to, item, ends) {
    to.byte(numbers.get(item.kind) ?? 0);
    // The table maps each kind to its form, which the compiler cannot infer for a union.
    (forms[item.kind] as Form<Item>).write(to, item, ends);
  },
  read: (from, scope) => forms[from.oneOf(kinds)].read(from, scope),
};
