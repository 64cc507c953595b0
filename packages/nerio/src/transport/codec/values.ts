// The values in the messages between members. Values that both ends of a connection know are not sent.
import {
  type Form,
  fieldsForm,
  floatForm,
  readList,
  textForm,
  tokenForm,
  wholeForm,
} from '@leadership/peer';
import { membersMax } from '../../protocol/members.ts';
import type { Ballot } from '../../protocol/message.ts';
import type { Sample, Start } from '../../protocol/sample.ts';
import { incarnationBytesMax, nameBytesMax } from './limits.ts';

/**
 * The two incarnations between which messages travel. Values that both know are not sent, so they
 * cannot be forged.
 */
export interface Ends {
  /** The sender's incarnation. */
  readonly from: string;
  /** The receiver's. */
  readonly to: string;
}

/** The values against which received messages are checked. */
export interface Scope extends Ends {
  /** M. */
  readonly partitions: number;
  /** The epoch in which the message was sent. */
  readonly epoch: number;
  /** The members of that epoch; `undefined` if it is not this member's epoch. */
  readonly names: ReadonlySet<string> | undefined;
}

/** The encoding of one kind of value between members. */
export type ScopedForm<T> = Form<T, Ends, Scope>;

/** A number that is not infinite. */
export const finiteForm: Form<number> = floatForm(-Number.MAX_VALUE, Number.MAX_VALUE);

/** A number from 0 that is not infinite. */
export const amountForm: Form<number> = floatForm(0, Number.MAX_VALUE);

/** An incarnation of a member. */
export const incarnationForm: Form<string> = textForm(incarnationBytesMax);

/** A partition of the group. */
export const partitionForm: ScopedForm<number> = {
  write: (to, partition) => to.uint(partition),
  read: (from, { partitions }) => from.uint(partitions - 1),
};

/** The name of a member of the epoch. */
export const nameForm: ScopedForm<string> = {
  write: (to, name) => to.text(name),
  read(from, { names }) {
    const name = from.text(nameBytesMax);
    if (names !== undefined && !names.has(name)) from.fail();
    return name;
  },
};

export const sampleForm: Form<Sample> = fieldsForm<Sample>({ at: finiteForm, count: wholeForm });

/** A round of the sender, without its incarnation, so that no other member can name it. */
export const ownStartForm: ScopedForm<Start> = {
  write: sampleForm.write,
  read(from, { from: incarnation }) {
    const { at, count } = sampleForm.read(from, undefined);
    return { incarnation, at, count };
  },
};

/** A round of the receiver. Its incarnation is sent only if it is not the current one. */
export const theirStartForm: ScopedForm<Start> = {
  write(to, start, ends) {
    to.text(start.incarnation === ends.to ? '' : start.incarnation);
    sampleForm.write(to, start, ends);
  },
  read(from, { to }) {
    const said = from.text(incarnationBytesMax, 0);
    if (said === to) from.fail();
    const { at, count } = sampleForm.read(from, undefined);
    return { incarnation: said === '' ? to : said, at, count };
  },
};

export const ballotForm: ScopedForm<Ballot> = fieldsForm<Ballot, Ends, Scope>({
  round: wholeForm,
  member: nameForm,
  incarnation: incarnationForm,
});

/** The index of a member in the epoch, or −1 for none. */
export const indexForm: ScopedForm<number> = {
  write: (to, index) => to.byte(index + 1),
  read(from, { names }) {
    const index = from.byte() - 1;
    if (index >= (names?.size ?? membersMax)) from.fail();
    return index;
  },
};

/** One value for each partition. */
export function eachPartitionForm<T>(one: ScopedForm<T>): ScopedForm<readonly T[]> {
  return {
    write(to, values, ends) {
      for (const value of values) one.write(to, value, ends);
    },
    read: (from, scope) => readList(from, scope.partitions, () => one.read(from, scope)),
  };
}

/** A token of each partition. */
export const tokensForm: ScopedForm<readonly bigint[]> = eachPartitionForm(tokenForm);
