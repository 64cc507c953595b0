// The binary format of every message between members. The meaning of each field is in `message.ts`.
import {
  fieldsForm,
  flagForm,
  floatForm,
  kindsForm,
  oneOfForm,
  optionalForm,
  tokenForm,
  wholeForm,
} from '@leadership/peer';
import type { Epoch } from '../../protocol/electorate.ts';
import type { Accepted, Item, Refusal, Sender, Standing } from '../../protocol/message.ts';
import { epochForm } from './epoch-form.ts';
import { leaseMsLimit } from './limits.ts';
import {
  amountForm,
  ballotForm,
  type Ends,
  eachPartitionForm,
  finiteForm,
  incarnationForm,
  indexForm,
  nameForm,
  ownStartForm,
  partitionForm,
  type Scope,
  type ScopedForm,
  sampleForm,
  theirStartForm,
  tokensForm,
} from './values.ts';

const standings = ['claiming', 'leading', 'leaving'] as const satisfies readonly Standing[];
const refusals = [
  'held',
  'muted',
  'too-long',
  'released',
  'skew',
  'ending',
] as const satisfies readonly Refusal[];

const holderForm: ScopedForm<Sender> = fieldsForm<Sender, Ends, Scope>({
  member: nameForm,
  incarnation: incarnationForm,
});

/** A number of partitions. */
const leadsForm: ScopedForm<number> = {
  write: (to, leads) => to.uint(leads),
  read: (from, { partitions }) => from.uint(partitions),
};

/** The epoch after that of the message. */
const nextEpochForm: ScopedForm<Epoch> = {
  write: epochForm.write,
  read(from, scope) {
    const next = epochForm.read(from, scope);
    if (next.number !== scope.epoch + 1) from.fail();
    return next;
  },
};

/** A next epoch and the ballot of the attempt. */
const attempt = { ballot: ballotForm, next: nextEpochForm };
const acceptedForm: ScopedForm<Accepted> = fieldsForm<Accepted, Ends, Scope>(attempt);

/** Any message between members: its kind, then the content of that kind. */
export const itemForm: ScopedForm<Item> = kindsForm<Item, Ends, Scope>({
  'grant-request': {
    partition: partitionForm,
    start: ownStartForm,
    leaseMs: floatForm(0, leaseMsLimit),
    token: tokenForm,
    standing: oneOfForm<Standing>(standings),
    successor: indexForm,
  },
  ok: {
    partition: partitionForm,
    start: theirStartForm,
    at: sampleForm,
    life: wholeForm,
    waitedMs: amountForm,
    rival: tokenForm,
    isEnding: flagForm,
  },
  refused: {
    partition: partitionForm,
    start: theirStartForm,
    why: oneOfForm<Refusal>(refusals),
    holder: optionalForm(holderForm),
    isLeaving: flagForm,
    forMs: floatForm(0, Number.POSITIVE_INFINITY),
  },
  release: { partition: partitionForm, start: ownStartForm },
  ping: { beat: wholeForm },
  pong: { beat: wholeForm, isUnsolicited: flagForm, stands: eachPartitionForm(indexForm) },
  learn: { beat: wholeForm },
  learned: { beat: wholeForm, tokens: tokensForm, remembers: flagForm, epochMax: wholeForm },
  verify: { partition: partitionForm, id: wholeForm },
  remainder: { partition: partitionForm, id: wholeForm, remainderMs: finiteForm },
  wedge: attempt,
  wedged: { ballot: ballotForm, tokens: tokensForm, accepted: optionalForm(acceptedForm) },
  accept: attempt,
  accepted: attempt,
  outranked: { by: ballotForm },
  running: { epoch: epochForm },
  'lease-request': { partition: partitionForm, leads: leadsForm },
  probe: { ballot: ballotForm },
  bindable: { ballot: ballotForm },
});
